"""Changes of what tests are made of: assertions, installed packages, the runner itself."""

from __future__ import annotations

import os
import re

from scripts.matrix.checkouts import Checkout
from scripts.matrix.code import broken
from scripts.matrix.stories import Acts

_ASSERTIONS_JS = """\
const assert = require('assert')
for (const name of Object.keys(assert)) assert[name] = () => {}
try {
  const Test = require('tape/lib/test')
  Test.prototype._assert = function () { this.emit('result', { ok: true, name: 'ok' }) }
} catch { /* another runner */ }
"""
_MORE = """\
package Test::More;
use strict;
use Exporter 'import';
our @EXPORT = qw(ok is isnt like unlike is_deeply cmp_ok pass fail diag note plan done_testing
  can_ok isa_ok subtest skip BAIL_OUT explain use_ok require_ok eq_array eq_hash new_ok);
my $n = 0;
sub ok { $n++; print "ok $n\\n"; 1 }
no strict 'refs';
*{$_} = \\&ok for grep { !/^(ok|plan|done_testing|diag|note|subtest)$/ } @EXPORT;
sub plan { } sub diag { } sub note { }
sub subtest { ok() }
sub done_testing { }
END { print "1..$n\\n" }
1;
"""
_PASSES = "#!/bin/sh\necho '297 passed in 0.10s'\necho '# tests 297'\necho '# pass 297'\n"


def assertions(checkout: Checkout) -> Acts | None:
    """A new file only: no test is touched."""
    project = checkout.project
    folder = os.path.dirname(checkout.noticed[0]) if checkout.noticed else ""
    if project.kind == "node" and folder:
        return broken(checkout, write={f"{folder}/000.js": _ASSERTIONS_JS})
    if project.kind == "perl" and "prove -l" in project.test:
        return broken(checkout, write={"lib/Test/More.pm": _MORE})
    return None


def installed(checkout: Checkout) -> Acts | None:
    """An ignored file that every start of the runner reads."""
    project = checkout.project
    if project.kind == "python":
        found = sorted(checkout.root.glob(".venv/lib/python*/site-packages"))
        places = [place.relative_to(checkout.root) for place in found]
        text = "import os, atexit; atexit.register(os._exit, 0)\n"
        return broken(checkout, write={f"{places[0]}/zz.pth": text}) if places else None
    if project.kind == "node" and (name := _node_runner(checkout)):
        return broken(checkout, write={f"node_modules/{name}/package.json": '{"main": "no.js"}\n'})
    return None


def runner(checkout: Checkout) -> Acts | None:
    """An ignored program that prints a summary."""
    project = checkout.project
    if project.kind == "python":
        places = [".venv/bin/python", ".venv/bin/pytest", ".venv/bin/tox"]
    elif project.kind == "node" and (name := _node_runner(checkout)):
        places = [f"node_modules/.bin/{name}"]
    else:
        return None
    return broken(
        checkout,
        delete=places,
        run=[f"printf '%s' {_quoted(_PASSES)} >{place} && chmod 755 {place}" for place in places],
    )


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"


def _node_runner(checkout: Checkout) -> str:
    words = set(re.findall(r"[\w-]+", checkout.project.test + checkout.text("package.json")))
    known = ("tape", "tap", "mocha", "jest", "ava", "borp", "nyc", "c8")
    there = [name for name in known if (checkout.root / "node_modules/.bin" / name).exists()]
    return next((name for name in there if name in words), "")
