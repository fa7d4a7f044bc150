# SPDX-License-Identifier: MIT
"""How a page looks: nothing leaves the window or is cut, light and dark, on paper."""

# texts that are cut, boxes that stick out, and neighbours that lie over each other
TROUBLE = """
const scrolls = '.scroll, .source, .sections, svg, .bar, canvas';
const found = [];
for (const node of document.querySelectorAll('main *, nav *')) {
    const box = node.getBoundingClientRect();
    if (box.width === 0 || node.closest(scrolls)) continue;
    if (box.right > innerWidth + 1 || box.left < -1) found.push(`out: ${node.tagName}.${node.className}`);
    const style = getComputedStyle(node);
    if (node.scrollWidth > node.clientWidth + 1 && node.clientWidth > 0 && style.overflowX === 'hidden' && style.textOverflow !== 'ellipsis')
        found.push(`cut: ${node.tagName}.${node.className}`);
}
for (const group of document.querySelectorAll('main, .hero, .tiles, .finding, .tabs, .cards, section')) {
    const boxes = [...group.children].map(node => [node, node.getBoundingClientRect()]).filter(([, box]) => box.width > 0 && box.height > 0);
    for (let i = 1; i < boxes.length; i++) {
        const [, above] = boxes[i - 1], [node, box] = boxes[i];
        if (box.top < above.bottom - 1 && box.left < above.right - 1 && box.bottom > above.top + 1 && box.right > above.left + 1)
            found.push(`over its neighbour: ${node.tagName}.${node.className}`);
    }
}
return [Math.max(0, document.documentElement.scrollWidth - innerWidth), found.slice(0, 5)];
"""

# texts of a table that leave their cell, or lie over the bar in it
CELLS = """
const found = [];
for (const cell of document.querySelectorAll('#table-box td:not(.left), #table-box th')) {
    const box = cell.getBoundingClientRect(), bar = cell.querySelector('.share');
    const walk = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
    for (let node = walk.nextNode(); node !== null; node = walk.nextNode()) {
        const range = document.createRange();
        range.selectNodeContents(node);
        const text = range.getBoundingClientRect();
        if (text.left < (bar ? bar.getBoundingClientRect().right : box.left) || text.right > box.right) found.push(node.textContent);
    }
}
return [document.querySelectorAll('#table-box td').length > 0, found.slice(0, 5)];
"""

CONTRAST = """
const parse = text => text.match(/[\\d.]+/g).slice(0, 3).map(Number);
const light = ([r, g, b]) => [r, g, b].map(v => v / 255).map(v => v <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4)
    .reduce((sum, v, i) => sum + v * [.2126, .7152, .0722][i], 0);
const ratio = (node, ground) => {
    const one = light(parse(getComputedStyle(node).color)), two = light(parse(getComputedStyle(ground).backgroundColor));
    return (Math.max(one, two) + .05) / (Math.min(one, two) + .05);
};
const parts = [...document.querySelectorAll('#account .bar > div')].filter(node => node.textContent !== '');
const body = document.body, card = document.querySelector('.card');
return [ratio(body, body), ratio(document.querySelector('.meta'), card), ratio(document.querySelector('.pill'), document.querySelector('.pill')),
    ...parts.map(node => ratio(node, node))];
"""


def check(tally, page, window, shots, browser=""):
    """At both widths in both themes."""
    for width, height in ((1280, 900), (390, 844)):
        for theme in ("light", "dark"):
            window.size(width, height)
            window.media("prefers-color-scheme", theme)
            window.open(page.file)
            what = f"{browser}{page.name} at {width}, {theme}"
            tally.same(f"{what}: theme of the system", window.run("return document.documentElement.dataset.theme"), theme)
            tally.same(f"{what}: nothing sticks out or is cut", window.run(TROUBLE), [0, []])
            window.wait("libtrace.settled.then(arguments[0])")
            for name in ("operators", "kernels", "api_calls"):
                window.run("document.querySelector(arguments[0]).click()", f"#tab-{name}")
                has_rows, outside = window.run(CELLS)
                tally.same(f"{what}: every cell of {name} holds its text", (has_rows, outside), (bool(page.report["tables"][name]), []))
            window.run("document.querySelector('#tab-operators').click(); scrollTo(0, 0)")
            ratios = window.run(CONTRAST)
            tally.check(f"{what}: contrast", min(ratios) >= 4.5, ratios)
            window.shot(f"{shots}/{browser}{page.name}-{width}-{theme}.png", whole=True)


def paper(tally, page, window, shots):
    """The button for the theme, and print."""
    window.run("document.querySelector('#theme').click()")
    tally.same(f"{page.name}: the button changes the theme", window.run("return document.documentElement.dataset.theme"), "light")
    window.size(1280, 900)
    window.media()
    printed = window.pdf()
    tally.check(f"{page.name}: prints", printed[:5] == b"%PDF-" and len(printed) > 20000, len(printed))
    with open(f"{shots}/{page.name}.pdf", "wb") as file:
        file.write(printed)
