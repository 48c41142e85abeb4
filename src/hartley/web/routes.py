"""The routes of the app: thin, each hands its request to the worker and gives back its JSON."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import FileResponse, HTMLResponse, JSONResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from hartley.errors import HartleyError
from hartley.operating_system import settle_file_types
from hartley.web.guard import ENTRANCE, Door, Guard
from hartley.web.service import IDLE, TAKEN, Search, Service, Tabs
from hartley.web.uploads import (
    ACCEPTED,
    TooLargeError,
    json_object,
    kind_of,
    plain_name,
    received,
    size_in_words,
    too_large,
)
from hartley.web.worker import CallError, Json

HERE = Path(__file__).parent
TAB = "Hartley-Tab"
"""The header in which our page says in which tab it is; in addresses of images and downloads: ``tab``."""
READING = ("encoding", "delimiter", "decimal", "missing_words", "sheet")
"""What the page may say about how a table that it sends is read."""


def create_app(service: Service, door: Door) -> Starlette:
    """Build the app behind its guard."""
    settle_file_types()
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    pages = Environment(
        loader=FileSystemLoader(HERE / "templates"), autoescape=True, undefined=StrictUndefined
    )

    async def page(request: Request) -> Response:
        del request
        shown = pages.get_template("page.html").render(
            limit=size_in_words(service.upload_limit), most=service.upload_limit, kinds=ACCEPTED
        )
        return HTMLResponse(shown)

    tabs = Tabs(service)

    async def enter(service: Service, request: Request) -> Json:
        """Take a token, and hand out what opens everything else."""
        token = (await json_object(request)).get("token")
        if not isinstance(token, str) or not door.admits(token):
            raise CallError("this page is locked; open the address that stands in the terminal", 403)
        tabs.of(_tab(request))
        given = None if service.given is None else service.given.name
        return {"secret": door.secret, "ticket": door.ticket, "given": given}

    @contextlib.asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        del app
        service.worker.start()
        yield
        await asyncio.to_thread(tabs.close)

    def api(
        handler: Callable[[Service, Request], Awaitable[Any]],
    ) -> Callable[[Request], Awaitable[Response]]:
        async def answered(request: Request) -> Response:
            try:
                # Who only knocks at the entrance has no tab yet, and takes none from others.
                answer = await handler(service if handler is enter else tabs.of(_tab(request)), request)
            except CallError as error:
                return _refused(str(error), error.status)
            except TooLargeError as error:
                return _refused(str(error), 413)
            except HartleyError as error:
                return _refused(str(error), 422)
            except ClientDisconnect:
                return Response(status_code=400)
            return answer if isinstance(answer, Response) else JSONResponse(answer)

        return answered

    return Starlette(
        routes=[
            Route("/", page),
            Mount("/static", StaticFiles(directory=HERE / "static")),
            Route(ENTRANCE, api(enter), methods=["POST"]),
            Route("/api/upload", api(upload), methods=["POST"]),
            Route("/api/open", api(open_given), methods=["POST"]),
            Route("/api/earlier", api(add_earlier), methods=["POST"]),
            Route("/api/audit", api(audit), methods=["POST"]),
            Route("/api/search", api(start_search), methods=["POST"]),
            Route("/api/search", api(follow_search)),
            Route("/api/stop", api(stop_search), methods=["POST"]),
            Route("/api/session", api(resume)),
            Route("/api/codebook", api(codebook), methods=["POST"]),
            Route("/api/borders", api(borders), methods=["POST"]),
            Route("/api/look", api(look), methods=["POST"]),
            Route("/api/release", api(release), methods=["POST"]),
            Route("/api/take", api(take), methods=["POST"]),
            Route("/api/report", api(report), methods=["POST"]),
            Route("/figure/{search}/{point}/{kind}/{theme}.svg", api(figure)),
            Route("/download/{word:str}", api(download)),
        ],
        middleware=[Middleware(Guard, door=door)],
        exception_handlers={HTTPException: _not_found},  # type: ignore[dict-item]
        lifespan=lifespan,
    )


async def upload(service: Service, request: Request) -> Json:
    """Take a table from the browser and describe it."""
    name = plain_name(request.query_params.get("name", "table"))
    kind = kind_of(name)
    path = await _received(service, request, kind)
    reading = {key: request.query_params.get(key) for key in READING}
    try:
        described = await _open(service, {"path": str(path), "name": name, "reading": reading})
    except BaseException:
        path.unlink(missing_ok=True)
        raise
    if service.uploaded is not None:
        service.uploaded.unlink(missing_ok=True)
    service.uploaded = path
    return described


async def open_given(service: Service, request: Request) -> Json:
    """Open the table of the command line, the example, or the one that is open in another way."""
    asked = await json_object(request)
    which, reading = asked.get("which"), asked.get("reading")
    if which == "example":
        return await _open(service, {"path": None, "name": "clinic.csv"})
    if which == "given" and service.given is not None:
        given = {"path": str(service.given), "name": service.given.name}
        return await _open(service, {**given, "reading": reading})
    if which == "again":
        return await _open(service, {"again": True, "revision": asked.get("revision"), "reading": reading})
    raise CallError("there is no such table to open", 404)


async def add_earlier(service: Service, request: Request) -> Json:
    """Take the policy of an earlier release; it is read, and not kept."""
    name = plain_name(request.query_params.get("name", "policy"))
    revision = request.query_params.get("revision", "")
    path = await _received(service, request, ".json")
    try:
        asked = {"path": str(path), "name": name, "revision": _whole(revision)}
        added: Json = await service.worker.call("earlier", asked)
        service.work.setdefault("earlier", []).append(added)
        return added
    finally:
        path.unlink(missing_ok=True)


async def audit(service: Service, request: Request) -> Any:
    """Measure the table as it is; a search of it, for other roles perhaps, would only be waited for."""
    asked = await json_object(request)
    async with service.changing:
        await _end_search(service)
    found = await service.worker.call("audit", asked)
    service.at("audit", {"roles": asked, "audit": found})
    return found


async def start_search(service: Service, request: Request) -> Json:
    """Start a search in the background, of a frontier or of ways side by side; a running one is stopped."""
    asked = await json_object(request)
    what = "candidates" if asked.get("kind") == "candidates" else "search"
    search = Search(number=next(service.numbers))

    def on_event(event: Json) -> None:
        if "frontier" in event:
            search.frontier = event["frontier"]
        if "progress" in event:
            search.progress = event["progress"]

    async def run() -> None:
        try:
            search.frontier = await service.worker.call(
                what, {**asked, "number": search.number}, on_event, lambda: search.is_to_stop
            )
            search.state = "done" if search.frontier and search.frontier["complete"] else "stopped"
        except CallError as error:
            search.state, search.message = "failed", str(error)

    async with service.changing:
        await _end_search(service)
        service.search = search
        service.at("search", {"asked": asked})
        task = service.task = asyncio.create_task(run())
    # A quick search is answered at once, without a round of asking.
    with contextlib.suppress(TimeoutError):
        await asyncio.wait_for(asyncio.shield(task), 0.15)
    return search.to_dict()


async def follow_search(service: Service, request: Request) -> Json:
    """Say how far the search is."""
    del request
    return (service.search or IDLE).to_dict()


async def stop_search(service: Service, request: Request) -> Json:
    """Stop the search; what it has found stays."""
    del request
    if service.search is not None and service.search.state == "running":
        # A search that still waits for its turn is stopped when it begins.
        service.search.is_to_stop = True
        service.worker.stop()
    return (service.search or IDLE).to_dict()


async def borders(service: Service, request: Request) -> Any:
    """Show the borders of a point, and what those that are set by hand keep and cost."""
    asked = await json_object(request)
    seen = await service.worker.call("borders", asked)
    if asked.get("borders") is not None:
        # What was previewed before is of other borders.
        service.at("borders", {"borders": {"base": asked.get("point"), "seen": seen}})
    return seen


async def look(service: Service, request: Request) -> Any:
    """Show what a point of the frontier means: its recoding and its measures."""
    asked = await json_object(request)
    seen = await service.worker.call("look", asked)
    service.at("look", {"point": asked.get("point"), "look": seen})
    return seen


async def codebook(service: Service, request: Request) -> Any:
    """Look a text up in the codebook that is shown."""
    return await service.worker.call("codebook", await json_object(request))


async def resume(service: Service, request: Request) -> Json:
    """Return the work as it stands, for a page that was loaded again."""
    del request
    return {**service.work, "search": (service.search or IDLE).to_dict(), "links": _links(service)}


async def release(service: Service, request: Request) -> Json:
    """Make the release of a point, and the links from which its files can be saved."""
    return await _with_files(service, request, "release", "release")


async def take(service: Service, request: Request) -> Json:
    """Show the release of one of the ways side by side, and the links from which its files can be saved."""
    return await _with_files(service, request, "take", "taken")


async def _with_files(service: Service, request: Request, call: str, step: str | None = None) -> Json:
    """Return what a call answers, with links to the files that it made; those of a step are all there are."""
    made = await service.worker.call(call, await json_object(request))
    files = {word: (Path(path), name) for word, (path, name) in made.pop("files").items()}
    if step is None:
        service.files |= files
    else:
        # A report that was made before may be of another point; it does not stand beside this release.
        service.files = files
        service.at(step, {step: made})
    return {**made, "links": _links(service)}


async def report(service: Service, request: Request) -> Json:
    """Write the report of a point, for the board or for the curator."""
    return await _with_files(service, request, "report")


async def figure(service: Service, request: Request) -> Response:
    """Draw a figure; as an image it can run nothing."""
    asked = request.path_params
    numbers = {name: _whole(asked[name]) for name in ("search", "point")}
    drawn = await service.worker.call("figure", {**asked, **numbers})
    return Response(drawn, media_type="image/svg+xml")


async def download(service: Service, request: Request) -> Response:
    """Return a file that was made, by the word for it."""
    word = request.path_params["word"]
    if word not in service.files or not service.files[word][0].is_file():
        raise CallError("there is no such file; make the release first", 404)
    path, name = service.files[word]
    return FileResponse(path, filename=name, media_type="application/octet-stream")


async def _received(service: Service, request: Request, kind: str) -> Path:
    """Take a file; one that says it is too large is refused before it comes."""
    announced = request.headers.get("content-length", "")
    if announced.isdigit() and int(announced) > service.upload_limit:
        raise too_large(service.upload_limit)
    return await received(request.stream(), service.folder, kind, service.upload_limit)


async def _open(service: Service, asked: Json) -> Json:
    async with service.changing:
        await _end_search(service)
        described: Json = await service.worker.call("open", asked)
        # A table that cannot be read changes nothing: the one before is still on the desk.
        service.search = None
        service.files.clear()
        service.work = {"table": described}
        return described


async def _end_search(service: Service) -> None:
    if service.task is not None and not service.task.done():
        if service.search is not None:
            service.search.message = TAKEN
        service.worker.stop()
        await asyncio.wait([service.task])


def _tab(request: Request) -> str:
    """Return the word of the tab that asks."""
    return request.headers.get(TAB) or request.query_params.get("tab", "")


def _whole(text: str) -> int | None:
    """Return the whole number that a text is, where it is one of ordinary size."""
    return int(text) if text.isdecimal() and len(text) < 20 else None


def _links(service: Service) -> Json:
    return {
        word: {"href": f"/download/{word}", "name": name, "size": size_in_words(path.stat().st_size)}
        for word, (path, name) in service.files.items()
        if path.is_file()
    }


def _refused(message: str, status: int) -> JSONResponse:
    return JSONResponse({"error": message}, status)


async def _not_found(request: Request, error: HTTPException) -> Response:
    del request
    return _refused(
        {404: "there is nothing here", 405: "not this way"}.get(error.status_code, "refused"),
        error.status_code,
    )
