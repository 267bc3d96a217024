"""The whole dashboard against people who should not be there, and names that should not work."""

from __future__ import annotations

import os
from pathlib import Path
from urllib.parse import quote

import pytest
from starlette.testclient import TestClient
from tests.web.conftest import BASE, GATE, Desk, enter, stranger

from podium.web.access import Access
from podium.web.pages import links
from podium.web.site import Site

READS = [
    "/",
    "/events",
    "/runs/{run}",
    "/runs/{run}/events",
    "/runs/{run}/steps/specification",
    f"/runs/{{run}}/gates/{GATE}",
    "/runs/{run}/files/steps/specification/prompt.md",
    "/runs/{run}/report.html",
]
POSTS = [
    f"/runs/{{run}}/gates/{GATE}/approve",
    f"/runs/{{run}}/gates/{GATE}/reject",
    "/runs/{run}/cancel",
    "/runs/{run}/resume",
    "/logout",
]
# The client itself resolves plain `..`; test_serving.py sends those.
UP = [
    "%2e%2e",
    "%2e%2e%2f%2e%2e",
    "..%2f..%2fetc%2fpasswd",
    "%2fetc%2fpasswd",
    "....%2f%2f....%2f%2fetc%2fpasswd",
    "..\\..\\etc",
    "%00",
    "a%0ab",
    "\u202e",
    "x" * 1500,
]


@pytest.mark.parametrize("path", READS)
def test_without_a_cookie_nothing_is_shown(shown: Desk, path: str) -> None:
    answer = stranger(shown.site).get(path.format(run=shown.run))
    assert answer.status_code == 401
    assert shown.run not in answer.text


@pytest.mark.parametrize("path", POSTS)
def test_without_a_cookie_nothing_is_done(shown: Desk, path: str) -> None:
    before = shown.project.types()
    client = stranger(shown.site)
    answer = client.post(
        path.format(run=shown.run),
        data={"csrf": shown.csrf, "seen": shown.seen()},
        headers={"origin": BASE},
    )
    assert answer.status_code == 401
    assert shown.project.types() == before


def test_the_link_is_turned_into_a_strict_cookie_and_leaves_the_address(shown: Desk) -> None:
    client = stranger(shown.site)
    answer = client.get("/", params={"token": shown.site.access.new_token()})
    assert (answer.status_code, answer.headers["location"]) == (303, "/")
    cookie = answer.headers["set-cookie"].lower()
    assert cookie.startswith("podium_8790=")
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    assert "max-age" not in cookie
    assert client.get("/").status_code == 200


@pytest.mark.parametrize("token", ["", "x", "null", "0" * 43, "\0"])
def test_a_wrong_token_lets_nobody_in(shown: Desk, token: str) -> None:
    shown.site.access.new_token()
    client = stranger(shown.site)
    answer = client.get("/", params={"token": token})
    assert answer.status_code == 403
    assert "set-cookie" not in answer.headers
    assert client.get("/").status_code == 401


def test_a_link_works_once_and_its_use_makes_the_next_one(shown: Desk) -> None:
    used: list[str] = []
    site = Site(shown.project.root, Access(8790, who="Ada"), {}, lambda: used.append("once"))
    token = site.access.new_token()
    assert stranger(site).get("/", params={"token": token}).status_code == 303
    assert stranger(site).get("/", params={"token": token}).status_code == 403
    assert used == ["once"]


def test_the_name_of_another_host_is_refused_even_with_a_cookie(shown: Desk) -> None:
    assert shown.client.get("/", headers={"host": "rebind.example"}).status_code == 421


@pytest.mark.parametrize("path", POSTS)
def test_a_form_of_another_site_does_nothing(desk: Desk, path: str) -> None:
    before = desk.project.types()
    fields = {"csrf": desk.csrf, "seen": desk.seen()}
    where = path.format(run=desk.run)
    assert (
        desk.client.post(where, data=fields, headers={"origin": "http://evil.example"}).status_code
        == 403
    )
    assert (
        desk.client.post(
            where, data={**fields, "csrf": "guess"}, headers={"origin": BASE}
        ).status_code
        == 403
    )
    assert (
        desk.client.post(where, data={"seen": fields["seen"]}, headers={"origin": BASE}).status_code
        == 403
    )
    assert desk.project.types() == before
    assert desk.client.get("/").status_code == 200


def test_the_csrf_word_of_another_browser_is_not_ours(desk: Desk) -> None:
    other = enter(desk.site)
    theirs = desk.site.access.visitor(dict(other.cookies))
    assert theirs is not None
    answer = desk.client.post(
        f"/runs/{desk.run}/cancel", data={"csrf": theirs.csrf}, headers={"origin": BASE}
    )
    assert answer.status_code == 403


@pytest.mark.parametrize("name", UP)
@pytest.mark.parametrize(
    "address",
    [
        "/runs/{}",
        "/runs/{}/events",
        "/runs/{}/report.html",
        "/runs/{run}/steps/{}",
        "/runs/{run}/gates/{}",
        "/runs/{run}/files/{}",
        "/runs/{run}/files/steps/specification/{}",
        "/runs/{run}/files/steps/{}/prompt.md",
        "/static/{}",
    ],
)
def test_a_name_that_leads_elsewhere_leads_nowhere(shown: Desk, address: str, name: str) -> None:
    path = address.replace("{run}", shown.run).replace("{}", name)
    answer = shown.client.get(path)
    assert answer.status_code in {404, 414}, answer.text
    assert "root:" not in answer.text


@pytest.mark.parametrize(
    "name",
    [
        quote(each, safe="")
        for each in (
            "../../request.json",
            "../../../../../src/app.py",
            "request.json",
            "journal.jsonl",
            "lock",
        )
    ],
)
def test_only_files_of_steps_are_given_out(shown: Desk, name: str) -> None:
    assert shown.client.get(f"/runs/{shown.run}/files/{name}").status_code == 404
    assert (
        shown.client.get(f"/runs/{shown.run}/files/steps/specification/{name}").status_code == 404
    )


@pytest.mark.parametrize("name", UP)
def test_a_decision_for_a_name_that_leads_elsewhere_is_not_taken(desk: Desk, name: str) -> None:
    before = desk.project.types()
    for path in (
        f"/runs/{name}/cancel",
        f"/runs/{name}/resume",
        f"/runs/{desk.run}/gates/{name}/approve",
        f"/runs/{desk.run}/gates/{GATE}/{name}",
    ):
        assert desk.post(path, seen="{}").status_code in {403, 404, 405, 414}
    assert desk.project.types() == before


def test_a_file_of_a_step_is_given_as_plain_text_to_be_kept(shown: Desk) -> None:
    answer = shown.client.get(f"/runs/{shown.run}/files/steps/specification/prompt.md")
    assert answer.status_code == 200
    assert answer.text == shown.project.prompt("specification")
    assert answer.headers["content-type"] == "text/plain; charset=utf-8"
    assert answer.headers["content-disposition"].startswith("attachment;")
    assert answer.headers["x-content-type-options"] == "nosniff"


def test_a_link_in_a_step_folder_is_not_followed(desk: Desk) -> None:
    os.symlink("/etc/passwd", desk.project.step("specification", "evidence.log"))
    where = links.step(desk.run, "specification")
    assert "root:" not in desk.client.get(where).text
    assert (
        desk.client.get(f"/runs/{desk.run}/files/steps/specification/evidence.log").status_code
        == 404
    )


def test_every_page_is_shown_to_who_was_let_in(shown: Desk) -> None:
    for path in READS:
        if not path.endswith("/events"):
            answer = shown.client.get(path.format(run=shown.run))
            assert answer.status_code == 200, (path, answer.text)
            assert answer.headers["cache-control"] == "no-store"
    assert shown.run in shown.client.get("/").text


def test_no_page_needs_what_the_policy_forbids(shown: Desk) -> None:
    for path in READS[2:3] + READS[4:6] + READS[:1]:
        page = shown.client.get(path.format(run=shown.run)).text
        assert " style=" not in page
        assert " onclick" not in page
        assert "<script>" not in page


def test_what_the_pages_link_to_is_there(shown: Desk) -> None:
    page = shown.client.get("/").text
    for name in ("app.css", "app.js"):
        assert f"/static/{name}" in page
        answer = stranger(shown.site).get(f"/static/{name}")
        assert answer.status_code == 200
        again = stranger(shown.site).get(
            f"/static/{name}", headers={"if-none-match": answer.headers["etag"]}
        )
        assert again.status_code == 304


def test_a_damaged_journal_is_said_and_breaks_no_page(desk: Desk) -> None:
    journal = desk.project.folder / "journal.jsonl"
    journal.write_bytes(journal.read_bytes().replace(b"specification", b"specificatiom", 1))
    assert desk.run in desk.client.get("/").text
    answer = desk.client.get(f"/runs/{desk.run}")
    assert answer.status_code == 200
    assert "append-only" in answer.text


def test_a_password_lets_people_in_under_their_names(tmp_path: Path) -> None:
    (tmp_path / ".podium" / "runs").mkdir(parents=True)
    site = Site(tmp_path, Access(8790, password="correct horse battery"), {})
    client = stranger(site)
    assert client.get("/", headers={"accept": "text/html"}).headers["location"] == "/login"
    assert 'name="password"' in client.get("/login").text
    assert 'name="name"' in client.get("/login").text
    wrong = client.post(
        "/login", data={"name": "Grace", "password": "guess"}, headers={"origin": BASE}
    )
    assert (wrong.status_code, client.get("/events").status_code) == (403, 401)
    assert (
        client.post(
            "/login",
            data={"name": "Grace", "password": "correct horse battery"},
            headers={"origin": "http://evil.example"},
        ).status_code
        == 403
    )
    right = client.post(
        "/login",
        data={"name": "Grace", "password": "correct horse battery"},
        headers={"origin": BASE},
    )
    assert right.status_code == 303
    assert "Grace" in client.get("/").text


def test_somebody_who_signs_out_is_out(tmp_path: Path) -> None:
    (tmp_path / ".podium" / "runs").mkdir(parents=True)
    site = Site(tmp_path, Access(8790, password="correct horse battery"), {})
    client = stranger(site)
    client.post(
        "/login",
        data={"name": "Grace", "password": "correct horse battery"},
        headers={"origin": BASE},
    )
    visitor = site.access.visitor(dict(client.cookies))
    assert visitor is not None
    assert (
        client.post("/logout", data={"csrf": visitor.csrf}, headers={"origin": BASE}).status_code
        == 303
    )
    assert site.access.visitor({site.access.cookie: visitor.cookie}) is None


def test_behind_a_proxy_its_word_counts_and_a_form_still_needs_ours(tmp_path: Path) -> None:
    (tmp_path / ".podium" / "runs").mkdir(parents=True)
    site = Site(tmp_path, Access(8790, header="X-Remote-User"), {})
    client: TestClient = stranger(site)
    assert client.get("/").status_code == 403
    assert (
        "grace@example.org" in client.get("/", headers={"x-remote-user": "grace@example.org"}).text
    )
    forged = client.post(
        "/runs/R1/cancel",
        data={"csrf": "x"},
        headers={"origin": BASE, "x-remote-user": "grace@example.org"},
    )
    assert forged.status_code == 403
