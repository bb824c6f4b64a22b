"""The page in a real browser: headless Chromium, driven by selenium, without a network."""

import shutil
from itertools import pairwise

import pytest

from skholder.report import AuditReport
from skholder.report.page import render

webdriver = pytest.importorskip("selenium.webdriver", reason="selenium is not installed")
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
DRIVER = shutil.which("chromedriver")
pytestmark = pytest.mark.skipif(
    not (CHROMIUM and DRIVER), reason="needs Chromium and its driver (Debian: chromium-driver)"
)

FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)

# Contrast of every element that has text of its own, against the nearest painted background.
CONTRAST = """
const channels = (colour) => colour.match(/[\\d.]+/g).map(Number);
const luminance = ([r, g, b]) => {
  const linear = [r, g, b].map((v) => {
    const c = v / 255;
    return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2];
};
const ground = (node) => {
  for (let at = node; at; at = at.parentElement) {
    const colour = channels(getComputedStyle(at).backgroundColor);
    if (colour.length === 3 || colour[3] === 1) return colour;
    if (colour[3] !== 0) throw new Error("a translucent background");
  }
  throw new Error("no background");
};
const found = [];
for (const node of document.querySelectorAll("body *")) {
  const own = Array.from(node.childNodes).some((n) => n.nodeType === 3 && n.data.trim());
  if (!own || node.matches("script, style, title, desc") || !node.getClientRects().length) continue;
  const style = getComputedStyle(node);
  if (style.opacity !== "1") throw new Error("translucent text");
  const inSvg = node instanceof SVGElement;
  const text = luminance(channels(inSvg ? style.fill : style.color));
  const behind = luminance(ground(node));
  const ratio = (Math.max(text, behind) + 0.05) / (Math.min(text, behind) + 0.05);
  found.push([ratio, node.textContent.slice(0, 40)]);
}
return found;
"""

# Every text of the drawings: what it says, its box, and the drawing's box.
BOXES = """
return Array.from(document.querySelectorAll("svg[role=img] text"), (node) => {
  const box = node.getBBox(), frame = node.ownerSVGElement.viewBox.baseVal;
  return {
    text: node.textContent,
    figure: node.ownerSVGElement.getAttribute("aria-labelledby"),
    along: node.classList.contains("tick") && node.getAttribute("text-anchor") === "middle",
    left: box.x, right: box.x + box.width, top: box.y, bottom: box.y + box.height,
    width: frame.width, height: frame.height,
  };
});
"""

WIDE, LONG = "W" * 40, "a column whose name has forty characters"


def with_huge_values(data):
    """A report's dict with values that need room: millions everywhere, long names."""
    high = 9_950_000
    data["count"] |= {"mean": high, "interval": [9_000_000, high], "flagged": high}
    found = data["ranking"]
    for name in ("rank", "rank_by_fod"):
        last = found[name][-1]
        found[name] = [10_000_000 * rank / last for rank in found[name]]
    found["log_density"][0] = found["best"] - 10_000_000
    curve = data["epsilon"]["curve"]
    last = curve["epsilon"][-1]
    curve["epsilon"] = [value / last for value in curve["epsilon"]]
    data["epsilon"] |= {"mean": 1.0, "interval": [0.9, 1.0]}
    if data["residuals"] is not None:
        n = len(data["residuals"]["fitted"])
        data["residuals"]["fitted"] = [-9_990_000 + 8_000_000 * i / n for i in range(n)]
        data["residuals"]["standardised"][0] = -10_000_000.0
        data["data"]["target"] = WIDE
    else:
        data["blamed"] = {"columns": [WIDE, LONG, "x"], "rows": [high, 20, 1], "other_rows": 1}
    return data


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    for flag in (*FLAGS, f"--user-data-dir={tmp_path_factory.mktemp('profile')}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    service = webdriver.ChromeService(executable_path=DRIVER)
    driver = webdriver.Chrome(options=options, service=service)
    yield driver
    driver.quit()


@pytest.fixture(scope="module")
def pages(tmp_path_factory, regression, density, clean, nasty):
    """Addresses of three reports, of some that need much room, and of a notebook's frame."""
    folder = tmp_path_factory.mktemp("pages")
    models = {"regression": regression, "density": density, "clean": clean}
    written = {}
    for name, model in models.items():
        report = AuditReport(model, title=nasty["title"])
        written[name] = report.to_html(folder / f"{name}.html").as_uri()
    for name in ("regression", "density"):
        path = folder / f"huge {name}.html"
        path.write_text(render(with_huge_values(AuditReport(models[name]).to_dict())), "utf-8")
        written[f"huge {name}"] = path.as_uri()
    # A few flagged rows, and others for comparison.
    data = AuditReport(clean).to_dict()
    for row in data["rows"]["shown"][:3]:
        row["flagged"] = True
    path = folder / "few.html"
    path.write_text(render(data), "utf-8")
    written["few"] = path.as_uri()
    # Names of ordinary length stand beside their bars.
    data = AuditReport(density).to_dict()
    data["blamed"]["columns"] = ["W" * 14, "blood pressure, mmHg"]
    data["blamed"]["rows"] = [1_234_567, 3]
    path = folder / "beside.html"
    path.write_text(render(data), "utf-8")
    written["beside"] = path.as_uri()
    notebook = folder / "notebook.html"
    framed = AuditReport(regression)._repr_html_()
    notebook.write_text(
        f"<!doctype html><title>notebook</title><link rel=icon href='data:,'>{framed}",
        encoding="utf-8",
    )
    return {**written, "notebook": notebook.as_uri()}


@pytest.fixture
def show(browser, pages):
    """Open a page at a width, in a colour scheme, with or without scripts."""

    def opened(name, width=1200, scheme="light", *, scripts=True, media=""):
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        browser.execute_cdp_cmd(
            "Emulation.setEmulatedMedia", {"media": media, "features": features}
        )
        browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": not scripts})
        size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600}
        browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        browser.get(pages[name])
        return browser

    yield opened
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})


each_page = pytest.mark.parametrize("name", ["regression", "density", "clean"])
each_scheme = pytest.mark.parametrize("scheme", ["light", "dark"])


def column(browser, number):
    """Values to sort by in a column of the table of rows, from the top."""
    return browser.execute_script(
        "return Array.from(document.querySelector('#rows-table').tBodies[0].rows,"
        "row => row.cells[arguments[0]].dataset.value ?? row.cells[arguments[0]].textContent)",
        number,
    )


def heading(browser, words):
    return browser.find_element("xpath", f"//table[@id='rows-table']//th[contains(., '{words}')]")


def visible_rows(browser):
    rows = browser.find_elements("css selector", "#rows-table tbody tr")
    return [row for row in rows if row.is_displayed()]


@each_page
def test_no_console_errors_and_no_requests(show, name):
    browser = show(name)
    assert browser.get_log("browser") == []
    assert browser.execute_script("return performance.getEntriesByType('resource').length") == 0


@each_page
def test_hostile_names_stay_text(show, name, nasty):
    browser = show(name)
    assert browser.title == nasty["title"]
    assert browser.find_element("css selector", "h1").text == nasty["title"]
    assert len(browser.find_elements("css selector", "script")) == 1
    assert browser.find_elements("css selector", "main img, main b, main i") == []
    if name != "clean":
        body = browser.find_element("css selector", "main").text
        assert nasty["label"] in body
        assert nasty["column"] in body


@each_page
@each_scheme
def test_fits_a_phone(show, name, scheme):
    browser = show(name, 390, scheme)
    assert browser.execute_script("return document.documentElement.scrollWidth") <= 390
    # Nor does a table scroll inside its frame.
    for panel in browser.find_elements("css selector", ".panel"):
        inside, outside = browser.execute_script(
            "return [arguments[0].scrollWidth, arguments[0].clientWidth]", panel
        )
        assert inside <= outside


@pytest.mark.parametrize(
    "name", ["regression", "density", "clean", "huge regression", "huge density", "beside"]
)
@pytest.mark.parametrize("width", [390, 1200])
def test_no_text_of_a_drawing_is_clipped(show, name, width):
    found = show(name, width).execute_script(BOXES)
    assert len(found) > 25
    for box in found:
        assert box["left"] >= 0, box
        assert box["right"] <= box["width"], box
        assert box["top"] >= 0, box
        assert box["bottom"] <= box["height"], box
    # Nor do labels along an axis run into each other.
    for first, second in pairwise(box for box in found if box["along"]):
        if first["figure"] == second["figure"]:
            assert first["right"] < second["left"], (first, second)


def test_long_labels_are_there(show):
    told = [box["text"] for box in show("huge regression").execute_script(BOXES)]
    assert {"-1,000,000", "mean 9,950,000", "mean 100%"} <= set(told)
    assert any(text.startswith("predicted WWW") for text in told)
    told = [box["text"] for box in show("huge density").execute_script(BOXES)]
    assert LONG in told
    assert "9,950,000" in told


@each_page
@each_scheme
@pytest.mark.parametrize("width", [390, 1200])
def test_contrast(show, name, scheme, width):
    found = show(name, width, scheme).execute_script(CONTRAST)
    assert len(found) > 60
    assert min(found)[0] >= 4.5, min(found)


def test_schemes_differ(show):
    grounds = {
        show("density", scheme=scheme).execute_script(
            "return getComputedStyle(document.body).backgroundColor"
        )
        for scheme in ("light", "dark")
    }
    assert len(grounds) == 2


class TestSorting:
    def test_numbers_both_ways(self, show):
        browser = show("regression")
        before = column(browser, 0)
        head = browser.find_element(
            "xpath", "//table[@id='rows-table']//th[contains(., 'Observed')]"
        )
        button = head.find_element("css selector", "button")
        button.click()
        falling = [float(value) for value in column(browser, 4)]
        assert falling == sorted(falling, reverse=True)
        assert head.get_attribute("aria-sort") == "descending"
        assert column(browser, 0) != before
        button.click()
        rising = [float(value) for value in column(browser, 4)]
        assert rising == sorted(rising)
        assert head.get_attribute("aria-sort") == "ascending"
        marked = browser.find_elements(
            "css selector",
            "#rows-table th[aria-sort=ascending], #rows-table th[aria-sort=descending]",
        )
        assert len(marked) == 1

    def test_words_by_their_number(self, show):
        browser = show("regression")
        heading(browser, "Expected by chance").find_element("css selector", "button").click()
        falling = [float(value) for value in column(browser, 3)]
        assert falling == sorted(falling, reverse=True)

    def test_text_by_keyboard(self, show):
        from selenium.webdriver.common.keys import Keys

        browser = show("density")
        head = heading(browser, "Row")
        button = head.find_element("css selector", "button")
        browser.execute_script("arguments[0].focus()", button)
        button.send_keys(Keys.ENTER)
        assert head.get_attribute("aria-sort") == "ascending"
        numbers = [int(t.split()[1]) for t in column(browser, 1) if t.startswith("patient")]
        # Numbers inside labels count as numbers: patient 9 before patient 10.
        assert numbers == sorted(numbers)

    def test_estimates_too(self, show):
        browser = show("regression")
        head = browser.find_element("css selector", "#estimates th:nth-child(4)")
        head.find_element("css selector", "button").click()
        values = browser.execute_script(
            "return Array.from(document.querySelectorAll('#estimates tbody tr'),"
            "row => Number(row.cells[3].dataset.value))"
        )
        assert values == sorted(values, reverse=True)


class TestFilter:
    def test_by_text(self, show):
        browser = show("regression")
        field = browser.find_element("css selector", "#rows-filter")
        total = len(visible_rows(browser))
        field.send_keys("PATIENT 1")
        rows = visible_rows(browser)
        assert 0 < len(rows) < total
        assert all("patient 1" in row.text for row in rows)
        status = browser.find_element("css selector", "form output")
        assert status.text == f"Showing {len(rows)} of {total} rows"
        field.send_keys(" nothing has this")
        assert visible_rows(browser) == []

    def test_hostile_label_can_be_found(self, show):
        browser = show("regression")
        browser.find_element("css selector", "#rows-filter").send_keys("onerror=")
        assert len(visible_rows(browser)) == 1

    def test_flagged_only(self, show):
        browser = show("few")
        assert len(visible_rows(browser)) == 20
        browser.find_element("css selector", "#rows-flagged").click()
        assert len(visible_rows(browser)) == 3

    def test_sorting_keeps_the_filter(self, show):
        browser = show("regression")
        browser.find_element("css selector", "#rows-filter").send_keys("patient 1")
        before = {row.text for row in visible_rows(browser)}
        browser.find_element("css selector", "#rows-table thead button").click()
        assert {row.text for row in visible_rows(browser)} == before


@each_page
def test_without_scripts(show, name):
    browser = show(name, scripts=False)
    assert len(visible_rows(browser)) >= 20
    assert browser.find_elements("css selector", "thead button") == []
    assert not browser.find_element("css selector", "form").is_displayed()
    words = "Nothing speaks against the model" if name == "clean" else "do not follow the model"
    assert words in browser.find_element("css selector", ".lead").text


def test_on_paper(show):
    browser = show("regression", scheme="dark", media="print")
    style = browser.execute_script(
        "const s = getComputedStyle(document.body); return [s.backgroundColor, s.color]"
    )
    # Ink on white, whatever the screen's scheme.
    assert style == ["rgb(255, 255, 255)", "rgb(27, 33, 43)"]
    assert not browser.find_element("css selector", "nav").is_displayed()
    assert not browser.find_element("css selector", "form").is_displayed()


def test_in_a_notebook(show):
    browser = show("notebook")
    assert browser.get_log("browser") == []
    browser.switch_to.frame(browser.find_element("css selector", "iframe"))
    assert browser.find_element("css selector", "h1").text == "Audit report"
    assert browser.find_elements("css selector", "#rows-table thead button")
    browser.switch_to.default_content()
    assert browser.title == "notebook"
