"""How each sign looks, by language: the expressions that `signs` looks for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

Sign = Literal[
    "skipped",
    "retried",
    "assertions patched",
    "runner hooked",
    "ends early",
    "exits as if passed",
    "writes past the runner",
    "prints a summary",
    "asks for tests",
    "ignores failure",
    "left to chance",
]
Forms = Mapping[str, str]
"""An expression for each language; empty = for all of them."""

_SKIPPED: Forms = {
    "python": r"\bmark\.(skip|skipif|xfail)\b|\bpytest\.(skip|xfail|importorskip)\s*\(|\bunittest\."
    r"(skip\w*|expectedFailure)\b|@(skip(If|Unless)?|expectedFailure)\b|\.skipTest\s*\(|"
    r"\bSkipTest\b|\+SKIP\b|__test__\s*=|\bcollect_ignore|\bpytestmark\b|__unittest_skip",
    "js": r"(?<![\w.$])(x|f)(it|test|describe|context|specify)\s*\(|\b(it|test|tests|describe|"
    r"context|suite|specify|tap|Deno\.test|bench|fixture|scenario|t)\.(serial\.|concurrent"
    r"\.|each\.)?(skip|only|todo|fixme|failing|fails|skipIf|runIf|ignore)\b|[{,]\s*(skip|"
    r"todo|only|ignore|fails)\s*:\s*(true|!0|['\"`\w])|\bthis\.skip\s*\(|\bpending\s*\(",
    "go": r"\b[tbf]\.Skip(f|Now)?\s*\(|\btesting\.Short\s*\(|^//\s*(go:build|\+build)\b",
    "rust": r"#!?\[\s*(ignore|cfg_attr\s*\(.*ignore|cfg\s*\(\s*(not\s*\(\s*test|any\s*\(\s*\)))",
    "jvm": r"@(Disabled\w*|Ignore|IgnoreIf|EnabledIf\w*|EnabledOn\w*|PendingFeature|Requires)\b|"
    r"\b(assume(True|False|That|Not\w*)|Assumptions?\.\w+)\s*\(|\benabled\s*=\s*false|"
    r"\bSkipException\b|(?<![\w.])(ignore|pending|cancel|assume)\s*[({]|\bxit\s*\(|"
    r"\bexcludeTestsMatching\b|\bexclude\s+['\"]",
    "dotnet": r"\bSkip\s*=\s*\"|\[\s*(Ignore|Explicit)\b|Assert\.(Ignore|Inconclusive"
    r"|Skip)\w*\s*\(|"
    r"Skip\.If",
    "php": r"markTest(Skipped|Incomplete)|->(skip|todo|only)\s*\(|@(requires|group)\b|#\[Requires|"
    r"--SKIPIF--|--XFAIL--",
    "ruby": r"(?<![\w.:])(x|f)(it|describe|context|specify|feature|scenario|example)\b|(?<![\w.:])("
    r"pending|skip)\b\s*(\(|['\"]|$|if|unless)|\bfocus:\s*true|:focus\b|\bskip:\s*(true|['\"])"
    r"|\bpending:\s*(true|['\"])|,\s*:(skip|pending)\b|\bomit\b",
    "perl": r"\bskip_all\b|\bskip\s*(\(|['\"$])|\b(SKIP|T[O]DO)\s*:\s*\{|\$T[O]DO\b|\btodo_skip\b|"
    r"\btodo\s*(\(|['\"])|\bBAIL_OUT\b",
    "shell": r"(^|[;&|]\s*)skip\b(\s|$)|\bexit\s+77\b|bats:focus|#\s*T[O]DO|\b(skip_test|"
    r"start_skipping|test_skip|skip_all)\b",
    "elixir": r"@(module|describe)?tag\s+:?skip\b|:skip\b|\bskip:\s|ExUnit\.configure",
    "c": r"\bGTEST_SKIP\b|\bDISABLED_\w+|\bTEST_IGNORE\w*\b|\b(SKIP|XFAIL|EXPECT_FAIL)\s*\(|"
    r"\[!(mayfail|shouldfail|hide)\]|\[\.\w*\]|doctest::skip|\bQ(SKIP|EXPECT_FAIL)\b|"
    r"\b(return|exit\s*\()\s*77\b|\bg_test_skip\b|\bXCTSkip\w*",
    "lua": r"(?<![\w.])pending\s*\(|#(exclude|only)\b|\blu\.skip",
    "swift": r"XCTSkip\w*|\.disabled\(|withKnownIssue",
    "dart": r"\bskip:\s|\bsolo:\s*true|@Skip",
    "settings": r"--(deselect|ignore(-glob)?(?![\w-])|exclude(?![\w-])|skip(?![\w-])"
    r"|last-failed|lf|testPathIgnorePatterns"
    r"|grep|"
    r"invert|fgrep|testNamePattern|filter|only|exitfirst|maxfail)(?![\w-])"
    r"|\b(testPathIgnorePatterns|"
    r"modulePathIgnorePatterns|collect_ignore|norecursedirs|WILL_FAIL|SKIP_RETURN_CODE|"
    r"PASS_REGULAR_EXPRESSION|XFAIL_TESTS)\b|\bDISABLED\b|(?<![\w-])-(k\s+['\"]?\w|m\s+['\"]?"
    r"not\b)|<exclude|<skip(Tests)?>|maven\.test\.skip|skipTests|\b(harness|test|doctest|"
    r"autotests)\s*=\s*false|failIfNoTests",
}

_RETRIED: Forms = {
    "": r"--reruns?\b|\breruns(_delay)?\s*[=:]|\bonly[-_]rerun\b|\bflaky\s*(\(|$|=)|mark\.flaky|"
    r"pytest[-_]rerunfailures|\bretryTimes\s*\(|\bthis\.retries\s*\(|\.retries\s*\(|['\"]?"
    r"\bretries['\"]?\s*[:=]\s*[\w'\"]|--retries\b|--test-retries|\"?\bretry\"?\s*[:=]\s*[1-9]|"
    r"--retry\b|until-pass|rerunFailingTestsCount|\bmaxRetries\b|\btest-?retry\b|@(Retry\w*|"
    r"RepeatedIfExceptions\w*|Flaky|RetryingTest)\b|\[Retry\w*\s*\(|BATS_TEST_RETRIES|"
    r"rspec[-/]retry|minitest[-/]retry|--rerun-failures|--flake-attempts|NEXTEST_RETRIES|"
    r"\bpytest[-_]retry\b|@retry\b",
}

_PATCHED: Forms = {
    "python": r"\b(TestCase|unittest(\.\w+)*)\.(assert\w+|fail\w*|run|_\w+|skipTest)\s*=(?!=)"
    r"|setattr"
    r"\s*\(\s*(unittest|pytest|_pytest|builtins|\w*TestCase|np\.testing|numpy\.testing)\b|"
    r"\b(pytest|_pytest|builtins|__builtins__|unittest|doctest)(\.\w+)+\s*=(?!=)|\b(np|numpy|"
    r"pd|pandas|torch|tm)\.(testing|_testing)\.\w+\s*=(?!=)|sys\.modules\s*\[\s*['\"](pytest|"
    r"_pytest|unittest|doctest|numpy\.testing)[\w.'\"]*\]\s*=|patch(\.object)?\s*\(\s*['\"]?("
    r"unittest|pytest|_pytest)\b|\b(monkeypatch|mocker)\S*setattr\s*\(\s*['\"]?(unittest|"
    r"pytest|_pytest)\b|\bAssertionError\s*=(?!=)|\bsys\.(exit|excepthook)\s*=(?!=)",
    "js": r"(?<![\w.$])(assert|expect|should|chai|tap|tape|it|describe|sinon)(\.\w+)*\.\w+\s*=(?!=)"
    r"|(?<![\w.$])(t|test)\.(equals?|notEqual\w*|\w*[dD]eepEqual\w*|same\w*|is\w*|ok|notOk|"
    r"true|false|truthy|falsy|throws|fail|pass|assert|end|plan|like|match|error|ifError|"
    r"strict\w+|not\w*|_assert)\s*=(?!=)|require\(\s*['\"](node:)?(assert|chai|expect|tape|"
    r"tap|mocha|jest|test|ava|should|vitest|power-assert|uvu|@jest|@vitest)[\w./-]*['\"]\s*\)"
    r"(\.\w+)*(\.\w+|\[\s*['\"]\w+['\"]\s*\])\s*=(?!=)|\b(global|globalThis|window)\s*(\.|\[\s*"
    r"['\"])(expect|assert|it|test|describe|should|t|jest|vi)\b['\"]?\]?(\.\w+)*\s*=(?!=)|("
    r"Object\.(defineProperty|assign)|Reflect\.(set|defineProperty))\s*\(\s*(require\(\s*['\"]"
    r"(node:)?(assert|chai|tape|tap)|assert|expect|chai|tape|tap|test)\b|\b(jest|vi)\.(mock|"
    r"doMock|spyOn)\s*\(\s*['\"]?(node:)?(assert|chai|expect)\b|\bModule\.(_load|"
    r"_resolveFilename|prototype\.require)\s*=|\b(Test|Assertion|Assert|TAP|Tap|AssertionError"
    r"|Runner|Runnable)\.prototype\.\w+\s*=(?!=)|overwrite(Method|Property|ChainableMethod)"
    r"\s*\(|sinon\.(stub|replace)\s*\(\s*(assert|expect|t|chai)\b|mock\.module\(\s*['\"](node:)?"
    r"assert|require\.cache\[.*\b(assert|tap|tape|chai|expect|mocha|jest)",
    "perl": r"\*\{?['\"]?(Test::\w+|CORE::GLOBAL)::|^\*(is|ok|like|is_deeply|isnt|cmp_ok|pass|fail|"
    r"can_ok|isa_ok|done_testing|plan|unlike|eq_\w+)\b|^sub\s+(Test::\w+::|is\b|ok\b|like\b|"
    r"is_deeply\b|cmp_ok\b|isnt\b|pass\b|unlike\b)|Test::Builder(::\w+)*\s*=|\$\?\s*=(?![=~])|"
    r"Test::Builder->(new->)?(is_passing|reset|no_ending)|^package\s+Test::(More|Builder|"
    r"Simple|Most|Deep)\b",
    "ruby": r"\b(module|class)\s+(Minitest|MiniTest|RSpec|Test::Unit)\b|(Minitest|RSpec|Test::Unit)"
    r"\S*\.(class_eval|module_eval|prepend|send|define_method|class_exec|alias_method)\b|def"
    r"\s+(assert(_equal|_nil|_raises|_includes)?|refute\w*|expect|to|not_to|eq)\b|"
    r"define_method\(:(assert|expect)",
    "rust": r"macro_rules!\s*(assert\w*|debug_assert\w*|panic|unreachable)\b",
    "c": r"#\s*(define|undef)\s+(assert\w*|NDEBUG|(TEST_)?(ASSERT|EXPECT|CHECK|REQUIRE|FAIL|"
    r"ck_assert|CU_ASSERT)\w*|RUN_TEST|main|exit|abort|strcmp|memcmp)\b|-DNDEBUG|\bUnity\.\w+"
    r"\s*=(?!=)",
    "jvm": r"^package\s+(org\.(junit|testng|assertj|hamcrest|spockframework)|kotlin\.test|junit)\b|"
    r"mockStatic\s*\(\s*(Assert|Assertions)",
    "dotnet": r"namespace\s+(Xunit|NUnit|Microsoft\.VisualStudio\.TestTools)",
    "php": r"\b(uopz_|runkit|override_function)|namespace\s+PHPUnit|function\s+assert(Same|Equals|"
    r"True|False|Null)\s*\(",
    "shell": r"^(function\s+)?(assert\w*|refute\w*|run|fail|bats_\w+|flunk|test_expect_\w+|\["
    r"|test|exit|"
    r"diff|cmp|grep|false)\s*\(\)|\balias\s+(diff|cmp|test|grep|false|exit)=|enable\s+-n",
    "elixir": r"defmodule\s+ExUnit|:meck\.new\(\s*ExUnit|defmacro\s+assert",
    "lua": r"(?<![\w.])assert\s*=|(?<!\w)assert\.\w+\s*=(?!=)|package\.loaded\[['\"]luassert",
}

_HOOKED: Forms = {
    "python": r"\bpytest_(runtest|collection|collect|configure|sessionfinish|sessionstart|report|"
    r"pycollect|pyfunc|assertrepr|exception|terminal|cmdline|load_initial|unconfigure|make|"
    r"generate|itemcollected|deselected|warning|plugin|addoption|addhooks|ignore)\w*|hookwrapper"
    r"|hookimpl|\bautouse\s*=\s*True|register_assert_rewrite|sys\.(meta_path|path_hooks)\b|"
    r"sys\.(settrace|setprofile)\s*\(|sys\.modules\[__name__\]|\bload_tests\b|"
    r"\bgc\.get_(objects|referrers)",
    "go": r"\bfunc\s+(TestMain|init)\s*\(|go:linkname|flag\.Set\s*\(\s*\"test\.|\bos\.Args\s*=",
    "rust": r"#!\[\s*cfg_attr\s*\(\s*test",
    "c": r"__attribute__\s*\(\(\s*(constructor|destructor)|LD_PRELOAD",
    "jvm": r"implements\s+(\w+,\s*)*(TestExecutionExceptionHandler|TestWatcher|"
    r"InvocationInterceptor|ExecutionCondition)",
    "ruby": r"\bTracePoint\b|\bMinitest\.(after_run|extensions)|RSpec\.configure\b|\brefine\s+\w+",
    "php": r"\bregister_shutdown_function|\bset_error_handler",
    "elixir": r"Code\.compiler_options|System\.at_exit|ExUnit\.after_suite",
    "js": r"(?<![\w.$])(jest|vi)\.setConfig\s*\(|\b(tap|tape)\.(on|teardown|onFinish|onFailure|"
    r"createHarness|createStream)\s*\(",
    "perl": r"Test::Builder->|^(BEGIN|CHECK|INIT)\s*\{.*(Test|CORE)",
}

_ENDS_EARLY: Forms = {
    "python": r"\bos\._exit\s*\(|\bos\.kill\s*\(\s*os\.getp|\batexit\.register\b"
    r"|\bpytest\.exit\s*\(|"
    r"\bos\.abort\s*\(|signal\.raise_signal|\bos\.exec[vl]\w*\s*\(",
    "js": r"\bprocess\.(reallyExit|abort|kill)\s*\(|\bprocess\.exit\s*\(\s*0?\s*\)|\bprocess\."
    r"exitCode\s*=(?!=)|\bprocess\.(on|once|addListener|prependListener)\s*\(\s*['\"`](exit|"
    r"beforeExit|uncaughtException|unhandledRejection)|\bDeno\.exit\s*\(|\bprocess\.exit\s*="
    r"(?!=)",
    "go": r"\bos\.Exit\s*\(\s*0\s*\)|\bsyscall\.(Exit|Kill)\b",
    "rust": r"\bprocess::(exit\s*\(\s*0|abort)|\blibc::_?exit\b",
    "jvm": r"\bSystem\.exit\s*\(\s*0|\bRuntime\b.*\b(halt|exit|addShutdownHook)\s*\(",
    "dotnet": r"\bEnvironment\.(Exit|FailFast|ExitCode)",
    "c": r"\b(_exit|_Exit|quick_exit)\s*\(\s*0|\bexit\s*\(\s*(0|EXIT_SUCCESS)\s*\)|\batexit\s*\(",
    "php": r"\b(exit|die)\s*(\(\s*0?\s*\))?\s*;",
    "ruby": r"\bexit!|\bat_exit\b|\bexit\s*(\(?\s*(0|true)\s*\)?)?\s*$",
    "perl": r"\bPOSIX::_exit\b|\bexit\s*(\(?\s*0\s*\)?)?\s*;|^END\s*\{"
    r"|\bkill\s*\(?\s*['\"]?(KILL|9)",
    "shell": r"(^|[;&|{]\s*|\bthen\s+)exit(\s+0)?\s*($|[;}&|])|\bkill\s+(-\w+\s+)?(\$\$|\$PPID)"
    r"|\bexec\s+"
    r"true\b|\btrap\b.*\bexit(\s+0)?\b",
    "elixir": r"\bSystem\.(halt|stop)\b|:erlang\.halt|:init\.stop",
    "lua": r"\bos\.exit\s*\(",
}

_AS_IF_PASSED: Forms = {
    "python": r"\bos\._exit\s*\(\s*0|atexit\.register\s*\(\s*(os\._exit|lambda.*_exit)|signal\."
    r"raise_signal|sys\.exit\s*=(?!=)|sys\.excepthook\s*=(?!=)",
    "js": r"\bprocess\.reallyExit|\bprocess\.exitCode\s*=\s*0|\bprocess\.exit\s*=(?!=)|\bprocess\."
    r"(on|once|prependListener)\s*\(\s*['\"`]exit",
    "c": r"\b(_exit|_Exit|quick_exit)\s*\(\s*0|\batexit\s*\(",
    "ruby": r"\bexit!\s*\(?(0|true)|\bat_exit\b.*exit",
    "perl": r"\bPOSIX::_exit\s*\(?\s*0|^END\s*\{.*(\$\?|exit)|\$\?\s*=\s*0",
    "jvm": r"\bRuntime\b.*\bhalt\s*\(\s*0",
    "go": r"\bsyscall\.Exit\s*\(\s*0",
    "rust": r"\blibc::_exit\s*\(\s*0",
}

_PAST_THE_RUNNER: Forms = {
    "python": r"sys\.__std(out|err)__|\bos\.write\s*\(\s*[12]\b|\bos\.dup2\s*\("
    r"|\bos\.fdopen\s*\(\s*"
    r"[12]\b|(?<![\w.])open\s*\(\s*[12]\s*,",
    "js": r"\bfs\.writeSync\s*\(\s*[12]\b|process\.std(out|err)\.(write\s*=|_handle)",
    "": r"/dev/(tty|fd/[12])\b|/proc/(self|\d+)/fd/[12]",
}

_SUMMARY: Forms = {
    "": r"['\"`].{0,40}(\d+|%d|\{\w*\}|\bx) (passed|passing|tests? ok)\b|['\"`](ok \d+|not ok \d+|"
    r"test result: ok|# pass |PASS:|All tests (passed|successful))",
}

_ASKS: Forms = {
    "": r"\b(PYTEST_(CURRENT_TEST|VERSION|XDIST\w*|ADDOPTS)|JEST_WORKER_ID|VITEST(_\w+)?|"
    r"NODE_TEST_CONTEXT|MOCHA_\w+|AVA_PATH|TAP_CHILD_ID|TOX_(ENV_NAME|WORK_DIR)|TOXENV|"
    r"COVERAGE_(RUN|PROCESS_\w+)|HARNESS_(ACTIVE|VERSION|IS_\w+)|BATS_(TEST_\w+|VERSION|"
    r"RUN_\w+)|RUNNING_TESTS?|IS_TESTING|UNDER_TEST|GTEST_\w+|CTEST_\w+|RUST_TEST_\w+|"
    r"NEXTEST\w*|npm_lifecycle_event|GITHUB_ACTIONS|GITLAB_CI|CIRCLECI|BUILDKITE|JENKINS_URL|"
    r"TF_BUILD)\b|(environ|getenv|process\.env|ENV|Getenv|env::var\w*|\$\{?|get_env)\W{0,4}"
    r"PODIUM(_\w+)?|\b(exists(Sync)?|is_?dir|accessSync|l?statSync|Stat)\s*\(\s*['\"`]"
    r"(\./)?(tests?|specs?|__tests__)['\"`/]|"
    r"Path(::new)?\s*\(\s*['\"](tests?|specs?)['\"]\)\.(exists|is_)",
    "python": r"\bgc\.get_(objects|referrers)\b|['\"](_?pytest|py\.test|unittest|nose|doctest|xdist"
    r"|tox)(\.\w+)?['\"]\s*(not\s+)?in\s+("
    r"sys\.modules|modules|sys\.argv|str\(|''\.join|repr\()|modules\.get\(\s*['\"](_?pytest|"
    r"unittest|nose)|(environ\.get|getenv)\s*\(\s*['\"](CI|TESTING|TEST)['\"]|environ\s*\[\s*['\"]"
    r"(CI|TESTING|TEST)['\"]|['\"](CI|TESTING)['\"]\s*(not\s+)?in\s+(os\.)?environ|sys\."
    r"_called_from_test|(inspect\.(stack|currentframe)|_getframe|traceback\.\w+|gettrace)\s*\("
    r".*test|find_spec\s*\(\s*['\"](_?pytest|nose)|sys\.argv\[0\].*test",
    "js": r"NODE_ENV['\"\]]*\s*(===?|!==?)\s*['\"`]test|['\"`]test(ing)?['\"`]\s*(===?"
    r"|!==?)\s*process\."
    r"env|process\.env\.(CI|TEST|TESTING)\b|process\.env\[\s*['\"](CI|TEST)['\"]\s*\]|\btypeof\s+("
    r"(globalThis|global|window)\.)?(jest|describe|it|mocha|vi|vitest|expect|suite)\b|\b("
    r"globalThis|global|window)\.(jest|describe|it|expect|mocha|__vitest\w*|__coverage__)\b|"
    r"import\.meta\.(vitest|env\.(TEST|MODE)|jest)|process\.(argv|execArgv|title|mainModule)\b"
    r".*(test|jest|mocha|tap|ava)|require\.main\b.*(test|jest|mocha|tap)|\.stack\b"
    r".*(test|jest|mocha|\btape?\b|\bava\b)|"
    r"module\.parent\b.*test|require\.cache\b.*(test|tap|mocha|jest)",
    "go": r"\btesting\.Testing\s*\(|flag\.Lookup\s*\(\s*\"test\.|os\.Args\b.*test|Getenv\s*\(\s*\"("
    r"CI|TEST|TESTING|GO_TEST)\"|(runtime\.Caller|debug\.Stack).*test",
    "rust": r"\bcfg!\s*\(\s*(test|not\s*\(\s*test)|#\[\s*cfg\s*\(\s*not\s*\(\s*test|env::var\w*\s*"
    r"\(\s*\"(CI|TEST)\"|current_exe\s*\(\).*test|thread::current\(\)\.name",
    "jvm": r"getenv\s*\(\s*\"(CI|TEST|TESTING)\"|forName\s*\(\s*\"(org\.junit|junit|org\.testng)|"
    r"\"surefire|org\.gradle\.test\.worker|(getStackTrace|StackWalker).*[tT]est",
    "dotnet": r"GetEnvironmentVariable\s*\(\s*\"(CI|TEST|TF_BUILD)|\"(xunit|nunit|testhost)",
    "ruby": r"ENV(\.fetch\(|\[)\s*['\"](CI|TEST|RAILS_ENV|RACK_ENV)['\"][\])]*\s*==\s*['\"]test"
    r"|ENV("
    r"\.fetch\(|\[|\.key\?\()\s*['\"](CI|TEST)['\"]|defined\?\s*\(?\s*(RSpec|Minitest|MiniTest|"
    r"Test::Unit)|Rails\.env\.test\?|\$(0|PROGRAM_NAME).*(rspec|test|rake)|\bcaller\b.*test",
    "perl": r"\$ENV\{['\"]?(CI|AUTOMATED_TESTING|TEST\w*)['\"]?\}|\$INC\{['\"](Test|TAP)/"
    r"|\$0\s*=~.*"
    r"\bt\b|Test::More->can|\$Test::Builder",
    "php": r"getenv\s*\(\s*['\"](CI|TEST)['\"]|getenv\s*\(\s*['\"]APP_ENV['\"]\s*\)\s*===?\s*['"
    r"\"]test|"
    r"defined\s*\(\s*['\"]PHPUNIT|class_exists\s*\(\s*['\"\\]*PHPUnit|debug_backtrace.*[tT]est",
    "shell": r"\$\{?(CI|TESTING)\b|\$\{?BATS_|(ps\s+.*|/proc/)\$PPID.*(bats|test|prove)",
    "elixir": r"Mix\.env\(?\)?\s*==\s*:test|Code\.ensure_loaded\?\(ExUnit"
    r"|System\.get_env\(\s*\"CI\"",
    "c": r"\bgetenv\s*\(\s*\"(CI|TEST\w*|srcdir|abs_srcdir|top_srcdir|MAKELEVEL)\"|"
    r"program_invocation",
    "swift": r"XCTestConfigurationFilePath|NSClassFromString\(\s*\"XCT",
    "dart": r"FLUTTER_TEST|Platform\.environment.*TEST",
}

_IGNORES: Forms = {
    "": r"\|\|\s*(true\b|:(\s|$|['\"])|exit\s+0\b|echo\b|/bin/true|cd\s+\.)|;\s*(exit\s+0|true"
    r"|:)\s*(["
    r"'\"}]|;|$)|\bset\s+\+e\b|\bset\s+\+o\s+errexit|continue-on-error:\s*(true|['\"$])|"
    r"\ballow_failure:\s*true|\bignore_(outcome|errors)\s*=\s*(true|1)|--(exit-zero|no-fail|"
    r"passWithNoTests|force-exit|forceExit|exit0|keep-going|ignore-errors|fail-never|"
    r"suppress-tests-failed-exit-code)\b|\bpassWithNoTests\b|-Dmaven\.test\.failure\.ignore|"
    r"testFailureIgnore|ignoreFailures|\.IGNORE\b|\bMAKEFLAGS\b.*-\w*[ik]|\bmake\b[^#;&|]*\s-\w*"
    r"[ik]\b|\|\s*(tee|cat|head|tail|grep|sed|awk|sort|less)\b|(?<!&)&\s*$",
    "recipes": r"(^|:\s)[@+]*-[@+]*\s*(\./|\$|py\.?test|python|prove|perl|ctest|npm|npx|yarn|pnpm|"
    r"go |cargo|bats|sh |bash|node|ruby|bundle|make|mvn|gradle|dotnet|mix|tox)",
}

_CHANCE: Forms = {
    "": r"(?i)\brand(om|int|range|bytes|bits)?(_\w+)?\s*[(.]|\burandom\b|\buuid4\b|"
    r"\bRANDOM\b|\b(now|today|utcnow|time_ns|monotonic|perf_counter|hrtime|UnixNano|gettimeofday)"
    r"\s*\(|\btime\s*\(|\bDate\(|\bgetpid\b|\$\$|(?<![\w.])date \+|\b(exists|isfile|is_file|isdir|"
    r"existsSync|accessSync|statSync|file_exists|is_dir|path_exists|access|stat|lstat)\w*\s*\(|"
    r"(?<![\w-])-e \S|\.exists\b",
}

FORMS: Mapping[Sign, Forms] = {
    "skipped": _SKIPPED,
    "retried": _RETRIED,
    "assertions patched": _PATCHED,
    "runner hooked": _HOOKED,
    "ends early": _ENDS_EARLY,
    "exits as if passed": _AS_IF_PASSED,
    "writes past the runner": _PAST_THE_RUNNER,
    "prints a summary": _SUMMARY,
    "asks for tests": _ASKS,
    "ignores failure": _IGNORES,
    "left to chance": _CHANCE,
}
