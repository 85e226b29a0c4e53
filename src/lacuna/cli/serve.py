"""``lacuna serve``: the review page."""

from __future__ import annotations

import getpass
import ipaddress
import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated
from urllib.parse import urlsplit

import typer

from lacuna.cli.console import announce_compiling, complain, say
from lacuna.errors import ConfigError
from lacuna.models.bundled import model_path

if TYPE_CHECKING:
    import socket

    from lacuna.web.project import Project
    from lacuna.web.server.security import Address
    from lacuna.web.server.served import Served

OWNER_ONLY = 0o077  # what a umask takes away
NOT_INSTALLED = (
    "lacuna serve needs FastAPI and uvicorn, which are not installed;"
    " install them with: pip install 'lacuna[serve]'"
)


@dataclass(frozen=True, slots=True)
class AddressOptions:
    """Where the server can be reached."""

    port: Annotated[
        int | None,
        typer.Option("--port", min=0, max=65535, help="Port; 0 is any free one. Default: 8765."),
    ] = None
    listen: Annotated[
        str | None,
        typer.Option(
            "--listen",
            metavar="ADDRESS",
            help="Address or name that other machines reach; needs TLS files or --behind-proxy.",
        ),
    ] = None
    certificate: Annotated[
        Path | None, typer.Option("--certificate", metavar="FILE", help="TLS certificate (PEM).")
    ] = None
    certificate_key: Annotated[
        Path | None,
        typer.Option("--certificate-key", metavar="FILE", help="Key of the certificate (PEM)."),
    ] = None
    behind_proxy: Annotated[
        str | None,
        typer.Option(
            "--behind-proxy",
            metavar="URL",
            help="Address of a proxy with TLS, e.g. https://review.example.org.",
        ),
    ] = None


@dataclass(frozen=True, slots=True)
class PersonOptions:
    """Who reviews, and what they see."""

    root: Annotated[
        Path | None,
        typer.Option(
            "--root",
            metavar="FOLDER",
            help="Folder below which files may be imported and exported; by default the current.",
        ),
    ] = None
    name: Annotated[
        str | None,
        typer.Option(
            "--name", metavar="PERSON", help="Your name in the log of edits; by default your login."
        ),
    ] = None
    no_browser: Annotated[bool, typer.Option("--no-browser", help="Do not open the browser.")] = (
        False
    )
    verbose: Annotated[
        bool, typer.Option("--verbose", "-v", help="Print a line for each request.")
    ] = False


def serve_command(
    project: Annotated[
        Path | None,
        typer.Argument(
            metavar="[PROJECT]",
            help="Folder of the project, made if it is new; by default the current folder.",
        ),
    ] = None,
    *,
    demo: Annotated[
        bool, typer.Option("--demo", help="With made-up notes; without PROJECT, nothing is kept.")
    ] = False,
    model: Annotated[
        Path | None,
        typer.Option(
            "--model",
            metavar="MODEL",
            parser=model_path,
            help="Model that suggests mentions, from now on in this project: a file, or the name of"
            " a bundled one.",
        ),
    ] = None,
    who: PersonOptions,
    where: AddressOptions,
) -> None:
    """Review documents in the browser.

    Prints a link and opens it. Only this machine can reach the server, and only those who have
    the link. Every decision is saved at once. Ctrl-C ends the server.

    Example: lacuna serve --demo
    """
    _check_installed()
    from lacuna.web.server.security import Log
    from lacuna.web.server.served import Served
    from lacuna.web.suggestions import Suggester

    _check_address(where)
    person, root = _person(who.name), _root(who.root)
    if model is not None and not model.is_file():
        raise ConfigError(f"{model}: there is no such file")
    os.umask(OWNER_ONLY)
    with _opened(project, demo=demo) as opened, ExitStack() as stack:
        if model is not None:
            opened = _with_model(opened, model)
        announce_compiling()
        suggester = Suggester.open(opened)
        sockets = [stack.enter_context(one) for one in _sockets(where)]
        address, origin = _address(where, sockets)
        log = Log(say if who.verbose else lambda _: None, lambda what: complain(f"error: {what}"))
        served = Served(opened, person=person, root=root, address=address, log=log, demo=demo)
        stack.callback(served.close)
        served.use(suggester)
        _run(served, stack, sockets, origin, who, where)
    say("stopped; everything is saved")


def _run(
    served: Served,
    stack: ExitStack,
    sockets: list[socket.socket],
    origin: str,
    who: PersonOptions,
    where: AddressOptions,
) -> None:
    """Answer requests until Ctrl-C."""
    from lacuna.web.server.running import open_browser, opening_file, server_of

    def started() -> None:
        project = served.project
        say(f"{project.settings.name}, reviewed by {served.person}; Ctrl-C ends")
        sys.stdout.write(f"{origin}/#k={served.sessions.token}\n")
        sys.stdout.flush()
        if not who.no_browser:
            link = f"{origin}/#k={served.sessions.single_use_token()}"
            open_browser(stack.enter_context(opening_file(project.folder.resolve(), link)))

    server = server_of(
        served,
        on_start=started,
        certificate=where.certificate,
        certificate_key=where.certificate_key,
    )
    server.run(sockets=sockets)


# --- options


def _check_installed() -> None:
    try:
        import fastapi  # noqa: F401
        import uvicorn  # noqa: F401
    except ImportError:
        raise ConfigError(NOT_INSTALLED) from None


def _person(name: str | None) -> str:
    from lacuna.web.store import LONGEST_NAME

    person = (getpass.getuser() if name is None else name).strip()
    if not person or len(person) > LONGEST_NAME or not person.isprintable():
        raise ConfigError(f"--name: a person's name has 1 to {LONGEST_NAME} printable characters")
    return person


def _root(root: Path | None) -> Path:
    folder = (root or Path()).resolve()
    if not folder.is_dir():
        raise ConfigError(f"--root {root}: there is no such folder")
    return folder


def _check_address(where: AddressOptions) -> None:
    tls = (where.certificate, where.certificate_key)
    if (tls[0] is None) != (tls[1] is None):
        raise ConfigError("--certificate and --certificate-key belong together")
    for file in tls:
        if file is not None and not file.is_file():
            raise ConfigError(f"{file}: there is no such file")
    if where.behind_proxy is not None:
        parts = urlsplit(where.behind_proxy)
        if parts.scheme != "https" or not parts.hostname or parts.path.strip("/"):
            raise ConfigError("--behind-proxy must be like https://review.example.org")
    if where.listen is None:
        return
    if where.listen in ("", "0.0.0.0", "::"):
        raise ConfigError("--listen needs the address or name that people use, not all of them")
    if tls[0] is None and where.behind_proxy is None and not _is_loopback(where.listen):
        raise ConfigError(
            "--listen lets other machines in: add --certificate and --certificate-key for TLS, or"
            " --behind-proxy if a proxy does that"
        )


def _is_loopback(address: str) -> bool:
    try:
        return ipaddress.ip_address(address).is_loopback
    except ValueError:
        return address == "localhost"


def _sockets(where: AddressOptions) -> list[socket.socket]:
    from lacuna.web.server.running import LOOPBACK, bound_sockets

    return bound_sockets([where.listen] if where.listen else LOOPBACK, where.port)


def _address(where: AddressOptions, sockets: list[socket.socket]) -> tuple[Address, str]:
    """Return how the server is reached, and the beginning of its link."""
    from lacuna.web.server.running import port_of
    from lacuna.web.server.security import loopback, named

    port, secure = port_of(sockets), where.certificate is not None
    if where.behind_proxy is not None:
        parts = urlsplit(where.behind_proxy)
        return named(parts.netloc, None, secure=True), f"https://{parts.netloc}"
    if where.listen is None and not secure:
        return loopback(port), f"http://127.0.0.1:{port}"
    host = where.listen or "127.0.0.1"
    host = f"[{host}]" if ":" in host else host
    address = named(host, port, secure=secure)
    return address, f"{'https' if secure else 'http'}://{host}:{port}"


# --- the project


@contextmanager
def _opened(folder: Path | None, *, demo: bool) -> Iterator[Project]:
    """Open a project, or make one."""
    from lacuna.web.demo_notes import add_demo_notes, create_demo
    from lacuna.web.project import open_project
    from lacuna.web.project_file import NAME

    if folder is None and demo:
        with tempfile.TemporaryDirectory(prefix="lacuna-demo-") as temporary:
            say(
                "made-up notes; they and all edits are removed at the end (to keep them, name a"
                " folder: lacuna serve FOLDER --demo)"
            )
            with create_demo(Path(temporary)) as project:
                yield project
        return
    if folder is None and not Path(NAME).is_file():
        raise ConfigError(
            "the current folder is no project; name a folder: lacuna serve FOLDER makes a new"
            " project, lacuna serve --demo shows one with made-up notes"
        )
    place = Path() if folder is None else folder
    if place.exists() and not (place.is_dir() and not any(place.iterdir())):
        with open_project(place) as project:
            if demo:
                add_demo_notes(project)
            yield project
        return
    say(f"new project: {place}")
    with create_demo(place) if demo else _made(place) as project:
        yield project


def _made(folder: Path) -> Project:
    from lacuna.web.project import create_project
    from lacuna.web.project_file import DEFAULT_LABELS, Settings, labels_named

    labels = labels_named(DEFAULT_LABELS)
    return create_project(folder, Settings(folder.resolve().name, labels=labels))


def _with_model(project: Project, model: Path) -> Project:
    """Make a model that of the project, in ``project.toml``."""
    from lacuna.web.project_file import NAME, read_settings, written
    from lacuna.web.server.project_routes import replace_file
    from lacuna.web.teaching.models import set_live

    path, folder = model.resolve(), project.folder.resolve()
    is_inside = path.is_relative_to(folder)  # then the project can be moved, or copied
    name = str(path.relative_to(folder) if is_inside else path)
    settings = replace(project.settings, model=name)
    replace_file(project.folder / NAME, written(settings).encode())
    set_live(project, None)
    return replace(project, settings=read_settings(project.folder / NAME))
