"""Settings: layers, precedence, and every fault at once."""

from __future__ import annotations

import ast
import inspect
import textwrap
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from podium.core.errors import InputError
from podium.settings import environment, policies
from podium.settings.mentions import mentions
from podium.settings.overrides import parse_setting, policy_file
from podium.settings.project import find_project, state_folder, user_file
from podium.settings.schema import NAMED, TABLES, inside
from podium.settings.sources import load
from podium.workflows.governed.policy.policy import read_policy


def project(tmp_path: Path, toml: str = "", name: str = "podium.toml") -> Path:
    (tmp_path / name).write_text(toml)
    return tmp_path


def faults(tmp_path: Path, toml: str, environment: dict[str, str] | None = None) -> list[str]:
    with pytest.raises(InputError) as caught:
        load(project(tmp_path, toml), {"HOME": str(tmp_path), **(environment or {})})
    return [str(fault) for fault in caught.value.faults]


def test_nothing_set_is_the_built_in_values(tmp_path: Path) -> None:
    settings = load(tmp_path, {"HOME": str(tmp_path)})
    assert settings.agent == ""
    assert settings.budget.tokens is None
    assert settings.policy_of("harness") == {
        "require_approval_before_build": True,
        "require_approval_before_complete": True,
        "max_remediations": 2,
        "repair_attempts": 1,
        "validation_fixes": 3,
        "proof": "required",
        "retry_backoff_s": 2.0,
        "step_timeout_s": 3600.0,
    }


def test_environment_wins_over_project_wins_over_user(tmp_path: Path) -> None:
    personal = tmp_path / "config" / "podium" / "podium.toml"
    personal.parent.mkdir(parents=True)
    personal.write_text(
        'agent = "user"\n[commands]\nbuild = "user"\ntest = "user"\nlint = "user"\n'
    )
    project(tmp_path, '[commands]\nbuild = "project"\ntest = "project"\n')
    environment = {
        "XDG_CONFIG_HOME": str(tmp_path / "config"),
        "PODIUM_COMMANDS__BUILD": "environment",
    }
    settings = load(tmp_path, environment)
    assert (settings.commands.build, settings.commands.test, settings.commands.lint) == (
        "environment",
        "project",
        "user",
    )
    assert settings.agent == "user"
    assert settings.sources["commands.build"] == "PODIUM_COMMANDS__BUILD"
    assert settings.sources["commands.test"] == "podium.toml"
    assert settings.sources["commands.lint"] == str(personal)


def test_the_command_line_wins_over_all(tmp_path: Path) -> None:
    settings = load(
        project(tmp_path, "[policy.harness]\nmax_remediations = 5\n"), {"HOME": str(tmp_path)}
    )
    assert settings.policy_of("harness")["max_remediations"] == 5
    assert settings.policy_of("harness", {"max_remediations": 0})["max_remediations"] == 0


def test_a_name_that_the_environment_spells_in_its_own_way_keeps_the_order_of_the_layers(
    tmp_path: Path,
) -> None:
    """`PODIUM_…__SMALL` is `small`, and of two spellings whichever came last in the table
    counted.
    """
    personal = tmp_path / "config" / "podium" / "podium.toml"
    personal.parent.mkdir(parents=True)
    personal.write_text("[policy.governed.max_iterations_by_tier]\nSMALL = 1\nLARGE = 1\n")
    project(tmp_path, "[policy.governed.max_iterations_by_tier]\nsmall = 2\n")
    places = {"XDG_CONFIG_HOME": str(tmp_path / "config")}
    settings = load(
        tmp_path, {**places, "PODIUM_POLICY__GOVERNED__MAX_ITERATIONS_BY_TIER__LARGE": "3"}
    )
    assert settings.policy["governed"] == {
        "max_iterations_by_tier.small": 2,
        "max_iterations_by_tier.large": "3",
    }
    told = settings.policy_of("governed", {"max_iterations_by_tier.LARGE": 4})
    assert read_policy(None, told).max_revisions("LARGE") == 4
    assert read_policy(None, told).max_revisions("SMALL") == 2


def test_pyproject_is_read_where_there_is_no_podium_toml(tmp_path: Path) -> None:
    project(tmp_path, "[tool.podium]\nagent = 'claude'\n", "pyproject.toml")
    assert load(tmp_path, {"HOME": str(tmp_path)}).agent == "claude"
    project(tmp_path, "agent = 'codex'\n")
    assert load(tmp_path, {"HOME": str(tmp_path)}).agent == "codex"


def test_every_fault_is_told_with_its_place_and_the_nearest_name(tmp_path: Path) -> None:
    told = faults(
        tmp_path,
        '[policy.harness]\nmax_remediation = 1\nrequire_approval_before_build = "no"\n'
        "[budget]\ntokens = -1\ncost_usd = 'x'\n[comands]\ntest = 'x'\n[agents]\nclaude = 'x'\n"
        "[isolation]\nminimum = 'total'\n",
        {"PODIUM_POLICY__HARNESS__MAX_REMEDIATIONS": "many"},
    )
    assert told == [
        "podium.toml: policy.harness.max_remediation is not known (did you mean max_remediations?)",
        'podium.toml: policy.harness.require_approval_before_build must be true or false, not "no"',
        "podium.toml: budget.tokens must be a whole number, 0 or more, not -1",
        'podium.toml: budget.cost_usd must be a number, 0 or more, not "x"',
        "podium.toml: comands is not known (did you mean commands?)",
        "podium.toml: agents.claude must be a table (write [agents.claude])",
        (
            "podium.toml: isolation.minimum must be one of asked, mediated, audited, confined, "
            'not "total"'
        ),
        'PODIUM_POLICY__HARNESS__MAX_REMEDIATIONS: must be a whole number, 0 or more, not "many"',
    ]


@pytest.mark.parametrize("toml", ["agent = \n", 'x = "\\q"', "[a\n"])
def test_broken_toml_names_the_line(tmp_path: Path, toml: str) -> None:
    (told,) = faults(tmp_path, toml)
    assert told.startswith("podium.toml: is not TOML")
    assert "line 1" in told


def test_bytes_that_are_no_text_are_a_fault_not_a_crash(tmp_path: Path) -> None:
    (tmp_path / "podium.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(InputError, match="not UTF-8"):
        load(tmp_path, {"HOME": str(tmp_path)})


@pytest.mark.parametrize("value", ["true", "1.5", "[1]", '"3"', "{a = 1}", "inf", "nan"])
def test_a_whole_number_is_nothing_else(tmp_path: Path, value: str) -> None:
    assert len(faults(tmp_path, f"[policy.harness]\nmax_remediations = {value}\n")) == 1


@pytest.mark.parametrize("value", ["0", "-1", "inf", "nan", "true"])
def test_a_time_limit_is_more_than_nothing(tmp_path: Path, value: str) -> None:
    assert len(faults(tmp_path, f"[policy.harness]\nstep_timeout_s = {value}\n")) == 1


def test_a_command_is_text_or_a_list(tmp_path: Path) -> None:
    toml = (
        "[agents.a]\ncommand = \"x 'y z'\"\nenv = ['K']\ntimeout_s = 5\n[agents.b]\ncommand = "
        "['x', 'y']\n"
    )
    agents = load(project(tmp_path, toml), {"HOME": str(tmp_path)}).agents
    assert agents["a"].command == ("x", "y z")
    assert agents["a"].table() == {"command": ["x", "y z"], "env": ["K"], "timeout_s": 5.0}
    assert agents["b"].command == ("x", "y")


def test_a_limit_of_no_turns_is_refused(tmp_path: Path) -> None:
    found = faults(tmp_path, '[agents.a]\nbackend = "claude"\nmax_turns = 0\n')
    assert found == ["podium.toml: agents.a.max_turns must be a whole number, 1 or more, not 0"]


def test_an_agents_table_has_what_was_set_and_nothing_else(tmp_path: Path) -> None:
    toml = '[agents.a]\nbackend = "claude"\nmax_turns = 1\ngateway = false\nambient = true\n'
    agents = load(project(tmp_path, toml), {"HOME": str(tmp_path)}).agents
    assert agents["a"].table() == {
        "backend": "claude",
        "max_turns": 1,
        "gateway": False,
        "ambient": True,
    }


def test_the_marker_of_an_agents_process_is_no_agent(tmp_path: Path) -> None:
    environment = {
        "HOME": str(tmp_path),
        "PODIUM_DISPATCH": "x",
        "PODIUM_VERDICT": "/x",
        "PODIUM_AGENT_MARK": "y",
    }
    assert load(tmp_path, {**environment, "PODIUM_AGENT": "1"}).agent == ""
    assert load(tmp_path, {**environment, "PODIUM_AGENT": "claude"}).agent == "claude"


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("PODIUM_POLICY_HARNESS_MAX_REMEDIATIONS", "1"),
        ("PODIUM_POLICY__HARNESS_MAX_REMEDIATIONS", "1"),
        ("PODIUM_POLICY__HARNESS__MAX_REMEDIATIONS", "1"),
    ],
)
def test_one_underscore_will_do_where_only_one_setting_can_be_meant(
    tmp_path: Path, variable: str, value: str
) -> None:
    assert (
        load(tmp_path, {"HOME": str(tmp_path), variable: value}).policy_of("harness", {})[
            "max_remediations"
        ]
        == 1
    )
    assert (
        load(tmp_path, {"HOME": str(tmp_path), "PODIUM_BUDGET_STEP_TOKENS": "5"}).budget.step_tokens
        == 5
    )


def test_no_two_settings_have_one_spelling_in_the_environment() -> None:
    plain = environment._plain()
    tables: list[tuple[str, ...]] = [
        *((name,) for name in TABLES),
        *(("policy", name) for name in policies.WORKFLOWS),
    ]
    assert len(plain) == sum(
        key is not None for table in tables for key in (inside(table) or {}).values()
    )


@pytest.mark.parametrize(
    "text",
    [
        "[tool.podium.policy.harness]\nmax_remediations = 1\n",
        "[tool]\npodium.policy.harness.max_remediations = 1\n",
        "[tool]\npodium = {policy = {harness = {max_remediations = 1}}}\n",
        '[ tool . "podium" . policy . harness ]\nmax_remediations = 1\n',
        "tool.podium.policy.harness.max_remediations = 1\n",
    ],
)
def test_the_table_in_pyproject_may_be_written_in_every_way_that_toml_has(
    tmp_path: Path, text: str
) -> None:
    settings = load(project(tmp_path, text, "pyproject.toml"), {"HOME": str(tmp_path)})
    assert settings.policy_of("harness")["max_remediations"] == 1


@pytest.mark.parametrize("text", ['[project]\ndependencies = ["podium"]\n', "podium = \n"])
def test_a_pyproject_that_only_names_podium_holds_no_settings(tmp_path: Path, text: str) -> None:
    settings = load(project(tmp_path, text, "pyproject.toml"), {"HOME": str(tmp_path)})
    assert settings.policy_of("harness")["max_remediations"] == 2


@pytest.mark.parametrize(
    ("variable", "meant"),
    [
        ("PODIUM_BUDGET_TOKNS", "PODIUM_BUDGET__TOKNS"),
        ("PODIUM_POLICY_HARNESS_MAX", "PODIUM_POLICY__HARNESS__MAX"),
        ("PODIUM_ROLES_QA_AGENT", "PODIUM_ROLES__QA_AGENT"),
    ],
)
def test_one_underscore_where_two_are_needed_is_told(
    tmp_path: Path, variable: str, meant: str
) -> None:
    assert faults(tmp_path, "", {variable: "5"}) == [
        f"{variable}: is not known (two underscores separate the names: {meant})"
    ]


def test_a_variable_spells_a_role_with_underscores(tmp_path: Path) -> None:
    settings = load(
        tmp_path,
        {"HOME": str(tmp_path), "PODIUM_ROLES__PO_SPEC__AGENT": "codex", "PODIUM_AGENT": "claude"},
    )
    assert settings.agent_for("po-spec") == "codex"
    assert settings.agent_for("qa") == "claude"


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("PODIUM_POLICY__HARNES__X", "policy.harnes is not known (did you mean harness?)"),
        ("PODIUM_POLICY__HARNESS", "policy.harness is a table (name the key inside it)"),
        ("PODIUM_BUDGET__TOKENS__X", "budget.tokens is not a table"),
        ("PODIUM_BUDGET__TOKEN", "budget.token is not known (did you mean tokens?)"),
    ],
)
def test_an_unknown_variable_is_answered_with_the_nearest(
    tmp_path: Path, name: str, told: str
) -> None:
    assert faults(tmp_path, "", {name: "1"}) == [f"{name}: {told}"]


def test_limits_of_a_fleet_have_names_of_the_users_own(tmp_path: Path) -> None:
    project(
        tmp_path,
        (
            "[fleet]\nsteps = 1\n[fleet.limits]\nagents.claude = 3\nusers.default = 2\n"
            'users."Anna B" = 0\n'
        ),
    )
    settings = load(
        tmp_path, {"HOME": str(tmp_path), "PODIUM_FLEET__LIMITS__PROVIDERS__ANTHROPIC": "5"}
    )
    assert settings.fleet.limits == {
        "agents": {"claude": 3},
        "users": {"default": 2, "Anna B": 0},
        "providers": {"anthropic": 5},
    }
    assert settings.sources["fleet.limits.agents.claude"] == "podium.toml"
    assert settings.fleet.steps == 1


@pytest.mark.parametrize(
    ("toml", "told"),
    [
        (
            "[fleet.limits]\nagent.claude = 3\n",
            "fleet.limits.agent is not known (did you mean agents?)",
        ),
        (
            "[fleet.limits]\nagents = 3\n",
            "fleet.limits.agents must be a table (write [fleet.limits.agents])",
        ),
        ("[fleet]\nlimits = 3\n", "fleet.limits must be a table (write [fleet.limits])"),
        (
            "[fleet.limits]\nagents.claude = -1\n",
            "fleet.limits.agents.claude must be a whole number, 0 or more, not -1",
        ),
    ],
)
def test_a_wrong_limit_is_told(tmp_path: Path, toml: str, told: str) -> None:
    assert faults(tmp_path, toml) == [f"podium.toml: {told}"]


@pytest.mark.parametrize("name", ["max_iterations", "max_attempts"])
def test_a_ticket_has_one_iteration_and_a_task_one_attempt_at_least(
    tmp_path: Path, name: str
) -> None:
    assert faults(tmp_path, f"[policy.ticket]\n{name} = 0\n") == [
        f"podium.toml: policy.ticket.{name} must be a whole number, 1 or more, not 0"
    ]


def test_a_projects_own_stage_brings_its_own_approval_flag(tmp_path: Path) -> None:
    settings = load(
        project(tmp_path, "[policy.harness]\nrequire_approval_before_fix_and_deploy = false\n"),
        {"HOME": str(tmp_path)},
    )
    assert settings.policy_of("harness")["require_approval_before_fix_and_deploy"] is False


def test_a_misspelt_approval_flag_is_no_stage_of_the_project(tmp_path: Path) -> None:
    (told,) = faults(tmp_path, "[policy.harness]\nrequire_approval_before_biuld = false\n")
    assert told.endswith("(did you mean require_approval_before_build?)")


def test_governed_takes_the_dotted_keys_of_its_own_file(tmp_path: Path) -> None:
    toml = "[policy.governed]\nstep_timeout_s = 5\n[policy.governed.retry.TRIVIAL]\nmax = 2\n"
    settings = load(project(tmp_path, toml), {"HOME": str(tmp_path)})
    assert settings.policy["governed"] == {"step_timeout_s": 5.0, "retry.TRIVIAL.max": 2}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("max_remediations=1", ("max_remediations", 1)),
        (" max_remediations = 0 ", ("max_remediations", 0)),
        ("require_approval_before_build=No", ("require_approval_before_build", False)),
        (
            "policy.harness.require_approval_before_build=yes",
            ("require_approval_before_build", True),
        ),
        ("step_timeout_s=0.5", ("step_timeout_s", 0.5)),
    ],
)
def test_a_set_value_is_read_as_its_key_wants_it(text: str, expected: Any) -> None:
    assert parse_setting(text, "harness") == expected


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("max_remediations", "is not KEY=VALUE"),
        ("=1", "is not KEY=VALUE"),
        ("max_remediation=1", "did you mean max_remediations?"),
        ("max_remediations=-1", "0 or more"),
        ("max_remediations=", "whole number"),
        ("require_approval_before_build=maybe", "true or false"),
        ("max_retries=1", "is not a policy key of harness"),
    ],
)
def test_a_wrong_set_value_is_told(text: str, told: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_setting(text, "harness")
    assert told in str(caught.value)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("p.toml", "max_remediations = 1\n"),
        ("p.toml", "[policy.harness]\nmax_remediations = 1\n[policy.ticket]\nmax_attempts = 2\n"),
        ("p.json", '{"max_remediations": 1}'),
        ("p.json", '{"policy": {"harness": {"max_remediations": 1}}}'),
    ],
)
def test_a_policy_file_is_a_bare_table_or_one_of_podium_toml(
    tmp_path: Path, name: str, text: str
) -> None:
    (tmp_path / name).write_text(text)
    assert policy_file(tmp_path / name, "harness") == {"max_remediations": 1}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("p.toml", "agent = 'x'\n[policy.harness]\nmax_remediations = 1\n[budget]\ntokens = 5\n"),
        ("p.json", '{"agent": "x", "policy": {"harness": {}}, "budget": {}}'),
    ],
)
def test_what_else_stands_in_a_policy_file_is_refused_and_not_left_out_silently(
    tmp_path: Path, name: str, text: str
) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(InputError) as caught:
        policy_file(tmp_path / name, "harness")
    assert [each.what for each in caught.value.faults] == [
        f"{each} is not a policy, and nothing else is read from a policy file"
        for each in ("agent", "budget")
    ]


@pytest.mark.parametrize(
    ("name", "text"),
    [("p.json", "[1]"), ("p.json", "{"), ("p.toml", "x = 1"), ("p.toml", "policy.harness = 1")],
)
def test_a_wrong_policy_file_is_told(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(InputError, match=name):
        policy_file(tmp_path / name, "harness")


@pytest.mark.parametrize("mark", ["podium.toml", ".podium/", "harness/", ".git/"])
def test_a_project_is_the_nearest_marked_folder(tmp_path: Path, mark: str) -> None:
    inner = tmp_path / "outer" / "inner"
    inner.mkdir(parents=True)
    (tmp_path / "outer" / mark).mkdir() if mark.endswith("/") else (
        tmp_path / "outer" / mark
    ).touch()
    assert find_project(inner) == tmp_path / "outer"


def test_without_a_mark_the_start_is_the_project(tmp_path: Path) -> None:
    (tmp_path / "harness").write_text("a file of that name says nothing")
    assert find_project(tmp_path) == tmp_path


@pytest.mark.parametrize(
    ("platform", "environment", "expected"),
    [
        ("linux", {"HOME": "/h"}, "/h/.config/podium/podium.toml"),
        ("darwin", {"HOME": "/h"}, "/h/Library/Application Support/podium/podium.toml"),
        ("linux", {"HOME": "/h", "XDG_CONFIG_HOME": "/x"}, "/x/podium/podium.toml"),
    ],
)
def test_the_users_file_is_where_the_platform_has_such_files(
    platform: str, environment: dict[str, str], expected: str
) -> None:
    assert str(user_file(environment, platform)) == expected


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({"HOME": "/h"}, "/h/.local/state/podium"),
        ({"HOME": "/h", "XDG_STATE_HOME": "/s"}, "/s/podium"),
        ({"HOME": "/h", "XDG_STATE_HOME": ""}, "/h/.local/state/podium"),
    ],
)
def test_what_belongs_to_the_user_and_to_no_project_has_its_own_folder(
    environment: dict[str, str], expected: str
) -> None:
    assert str(state_folder(environment)) == expected


@pytest.mark.parametrize("table", [*NAMED.values(), *TABLES.values()])
def test_every_setting_has_its_string_for_the_reference(table: type) -> None:
    body = ast.parse(textwrap.dedent(inspect.getsource(table))).body[0]
    assert isinstance(body, ast.ClassDef)
    documented = {
        before.target.id
        for before, after in zip(body.body, body.body[1:], strict=False)
        if isinstance(before, ast.AnnAssign) and isinstance(before.target, ast.Name)
        if isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant)
    }
    assert documented == {each.name for each in fields(table)}


def test_a_store_of_the_fleet_is_named_in_the_project_and_on_a_machine(tmp_path: Path) -> None:
    project(
        tmp_path,
        (
            '[fleet]\nstore = "s3://bucket/runs"\nstore_endpoint = "https://minio.example:9000"\n'
            "store_above_mb = 0.5\n"
        ),
    )
    fleet = load(tmp_path, {"PODIUM_FLEET__STORE": "/mnt/share/podium"}).fleet
    assert (fleet.store, fleet.store_endpoint, fleet.store_above_mb) == (
        "/mnt/share/podium",
        "https://minio.example:9000",
        0.5,
    )
    assert load(tmp_path / "elsewhere", {}).fleet.store == ""


@pytest.mark.parametrize(
    "layer", ["user", "project", "pyproject", "PODIUM_FLEET__DATABASE", "PODIUM_FLEET_DATABASE"]
)
def test_a_table_that_any_layer_sets_is_mentioned(tmp_path: Path, layer: str) -> None:
    environ = {
        "HOME": str(tmp_path / "home"),
        **({layer: "postgresql://x"} if layer.startswith("PODIUM_") else {}),
    }
    text = 'database = "postgresql://x"\n'
    places = {
        "user": user_file(environ),
        "project": tmp_path / "podium.toml",
        "pyproject": tmp_path / "pyproject.toml",
    }
    if layer in places:
        places[layer].parent.mkdir(parents=True, exist_ok=True)
        places[layer].write_text(
            f"[{'tool.podium.' if layer == 'pyproject' else ''}fleet]\n{text}", encoding="utf-8"
        )
    assert load(tmp_path, environ).fleet.database
    assert mentions(tmp_path, environ, "fleet")


def test_a_table_that_no_layer_sets_is_not_mentioned(tmp_path: Path) -> None:
    (tmp_path / "podium.toml").write_text('agent = "claude"\n[ui]\nport = 1\n', encoding="utf-8")
    assert not mentions(tmp_path, {"HOME": str(tmp_path), "PODIUM_UI__PORT": "2"}, "fleet")
    assert not mentions(tmp_path / "nowhere", {"HOME": str(tmp_path)}, "fleet")


def test_a_file_that_cannot_be_read_may_mention_anything(tmp_path: Path) -> None:
    (tmp_path / "home/.config/podium/podium.toml").mkdir(parents=True)
    assert mentions(tmp_path, {"HOME": str(tmp_path / "home")}, "fleet")


def test_a_role_can_be_kept_from_the_vendor_of_another(tmp_path: Path) -> None:
    toml = '[roles]\nreviewer = {not = "build\'s provider"}\n[roles.qa]\nnot = "build"\n'
    roles = load(project(tmp_path, toml), {"HOME": str(tmp_path)}).roles
    assert (roles["reviewer"].other_than, roles["qa"].other_than) == ("build's provider", "build")
    assert faults(tmp_path, '[roles.qa]\nother_than = "build"\n') == [
        "podium.toml: roles.qa.other_than is not known (known here: agent, definition, not)"
    ]


def test_proof_and_view_have_their_tables(tmp_path: Path) -> None:
    toml = '[proof]\nbefore = "green"\nhidden = ["checks/**"]\nmutants = 5\n[view]\nkind = "copy"\n'
    settings = load(project(tmp_path, toml), {"HOME": str(tmp_path)})
    assert (settings.proof.before, settings.proof.hidden, settings.proof.mutants) == (
        "green",
        ("checks/**",),
        5,
    )
    assert settings.view.kind == "copy"
    assert len(faults(tmp_path, '[proof]\nbefore = "blue"\n[view]\nkind = "magic"\n')) == 2
