"""A person before a WordPress site in a real browser: installs it, writes a post with a picture, looks at it.

    wordpress.py URL write PICTURE SCREENSHOT   install wizard, login, a published post, a visitor's view, logout
    wordpress.py URL read                       the visitor's view alone

Ends with 1 and says what was wrong when a step does not work, the console of a page shows an error, or a request
of a page fails. Run by test_wordpress.py in the environment that has Playwright."""
import sys

from playwright.sync_api import expect, sync_playwright

USER, PASSWORD = "writer", "correct horse battery staple 7"
TITLE, TEXT = "A post with a picture", "Written in the block editor."
PATIENCE = 120_000  # ms; for a loaded machine, nothing that works comes near it
CHROMIUM = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
            "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage"]


def is_left_behind(request):
    """What a page that is left gives up by itself, such as WordPress's heartbeat and the editor's requests still
    under way. Only the browser aborts; what a server does wrong has other names."""
    return request.failure == "net::ERR_ABORTED" and not request.is_navigation_request()


class Visitor:
    """One browser session, and all that went wrong in it."""

    def __init__(self, browser, site):
        self.site, self.faults = site, []
        self.context = browser.new_context(viewport={"width": 1280, "height": 900}, locale="en-US")
        self.context.set_default_timeout(PATIENCE)
        # Other hosts (pictures of writers, the emoji script's) have nothing to do with the site.
        self.context.route(lambda url: not url.startswith((site, "blob:", "data:")), lambda route: route.fulfill(
            status=200, body=""))
        self.context.on("requestfailed", self._failed)
        self.context.on("response", lambda r: r.status >= 400 and self.faults.append(f"{r.status} {r.url}"))
        self.context.on("console", lambda m: m.type == "error" and self.faults.append(f"console: {m.text}"))
        self.context.on("weberror", lambda e: self.faults.append(f"script: {e.error}"))
        self.page = self.context.new_page()

    def _failed(self, request):
        if not is_left_behind(request):
            self.faults.append(f"{request.failure} {request.method} {request.url}")

    def go(self, path):
        self.page.goto(self.site + path)

    def close(self):
        self.page.wait_for_load_state("load")
        self.context.close()
        if self.faults:
            raise AssertionError("\n".join(self.faults))


def install(visitor):
    page = visitor.page
    visitor.go("/")  # leads to the wizard
    page.locator("#weblog_title").fill("A site in a container")
    page.locator("#user_login").fill(USER)
    page.locator("#pass1").fill(PASSWORD)
    page.locator("#admin_email").fill("writer@example.com")
    page.locator("#submit").click()
    expect(page.get_by_role("heading", name="Success!")).to_be_visible()


def log_in(visitor):
    page = visitor.page
    visitor.go("/wp-login.php")
    page.locator("#user_login").fill(USER)
    page.locator("#user_pass").fill(PASSWORD)
    page.locator("#wp-submit").click()
    expect(page.locator("#wpadminbar")).to_be_visible()


def write_post(visitor, picture):
    page = visitor.page
    visitor.go("/wp-admin/post-new.php")
    canvas = page.frame_locator("iframe[name=editor-canvas]")
    title = canvas.get_by_role("textbox", name="Add title")
    title.wait_for()
    guide = page.get_by_role("dialog").get_by_role("button", name="Close")
    guide.click()
    title.fill(TITLE)
    title.press("Enter")
    page.keyboard.type(TEXT)
    page.keyboard.press("Enter")
    page.keyboard.type("/image")
    page.get_by_role("option", name="Image", exact=True).click()
    canvas.locator("[data-type='core/image'] input[type=file]").set_input_files(picture)
    shown = canvas.locator("[data-type='core/image'] img[src*='/wp-content/uploads/']")
    shown.wait_for()
    page.get_by_role("button", name="Publish", exact=True).click()
    panel = page.get_by_role("region", name="Editor publish")
    panel.get_by_role("button", name="Publish", exact=True).click()
    expect(panel.get_by_text("is now live")).to_be_visible()
    return panel


def log_out(visitor):
    page = visitor.page
    visitor.go("/wp-admin/")
    page.locator("#wp-admin-bar-my-account").hover()
    page.locator("#wp-admin-bar-logout a").click()
    expect(page.get_by_text("You are now logged out")).to_be_visible()


def look(browser, site, screenshot=None):
    """The front page and the post as somebody who is not logged in."""
    visitor = Visitor(browser, site)
    page = visitor.page
    visitor.go("/")
    page.get_by_role("link", name=TITLE).first.click()
    expect(page.get_by_role("heading", name=TITLE, level=1)).to_be_visible()
    expect(page.get_by_text(TEXT)).to_be_visible()
    picture = page.locator("figure.wp-block-image img")
    expect(picture).to_have_js_property("complete", True)
    expect(picture).to_have_js_property("naturalWidth", 640)
    expect(page.locator("#wpadminbar")).to_have_count(0)
    if screenshot:
        page.screenshot(path=screenshot, full_page=True)
    visitor.close()


def main():
    site, what, *files = sys.argv[1:]
    expect.set_options(timeout=PATIENCE)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=CHROMIUM)
        if what == "write":
            writer = Visitor(browser, site)
            install(writer)
            log_in(writer)
            write_post(writer, files[0])
            log_out(writer)
            writer.close()
        look(browser, site, *files[1:])
        browser.close()


if __name__ == "__main__":
    main()
