"""The report as one HTML file that needs nothing beside it: no script, no font, no network."""

from collections.abc import Iterable, Sequence
from html import escape

from moorage_conformance import wording
from moorage_conformance.findings import About, Finding, Outcome, is_kept

STYLE = """
:root { color-scheme: light; --ink: #1c2430; --soft: #5b6675; --line: #dfe4ea; --paper: #fff;
  --kept: #1a7f4b; --broken: #b3261e; --not_applicable: #6b7280; }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 60rem; padding: 2.5rem 1.25rem 4rem; background: var(--paper);
  color: var(--ink); font: 16px/1.5 system-ui, sans-serif; }
h1 { margin: 0; font-size: 1.6rem; }
h2 { margin: 2.25rem 0 .25rem; font-size: 1.05rem; }
.verdict { margin: .25rem 0 1.25rem; font-size: 1.15rem; font-weight: 600; }
.broken { color: var(--broken); } .kept { color: var(--kept); }
.not_applicable { color: var(--not_applicable); }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .15rem 1rem; margin: 0; }
dt { color: var(--soft); } dd { margin: 0; overflow-wrap: anywhere; }
ul { margin: 0; padding: 0; list-style: none; }
li.finding { display: grid; grid-template-columns: 4.5rem 1fr; gap: 0 1rem; padding: .6rem 0;
  border-top: 1px solid var(--line); }
.rule { font: 600 .9rem/1.65 ui-monospace, monospace; }
.detail { margin: .25rem 0 0; color: var(--soft); white-space: pre-line; overflow-wrap: anywhere; }
.finding.broken .sentence, .finding.broken .detail { color: var(--ink); }
.evidence { margin-top: .35rem; }
code { font: .85rem/1.5 ui-monospace, monospace; overflow-wrap: anywhere; }
@media print { body { padding: 0; } li.finding { break-inside: avoid; } }
"""


def render(findings: Sequence[Finding], about: About) -> str:
    """The whole page."""
    title = f"{about.app} {about.version}: conformance"
    verdict = "kept" if is_kept([*findings]) else "broken"
    return "\n".join(
        [
            "<!doctype html>",
            '<html lang="en">',
            "<head>",
            '<meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<title>{escape(title)}</title>",
            f"<style>{STYLE}</style>",
            "</head>",
            "<body>",
            f"<h1>{escape(f'{about.app} {about.version}')}</h1>",
            f'<p class="verdict {verdict}">{escape(wording.sentence(findings))}</p>',
            *_about(findings, about),
            *(line for outcome in wording.SECTIONS for line in _section(findings, outcome)),
            "</body>",
            "</html>",
            "",
        ]
    )


def _about(findings: Sequence[Finding], about: About) -> list[str]:
    rows = {
        "Platform": about.platform,
        "Started": about.started_at,
        "Took": f"{about.seconds:.0f} s",
        "Checks": wording.counts(findings),
    }
    lines = [f"<dt>{escape(name)}</dt><dd>{escape(value)}</dd>" for name, value in rows.items()]
    return ["<dl>", *lines, "</dl>"]


def _section(findings: Iterable[Finding], outcome: Outcome) -> list[str]:
    mine = [each for each in wording.in_order(findings) if each.outcome == outcome]
    if not mine:
        return []
    return [
        f'<h2 class="{outcome}">{wording.SECTIONS[outcome]}</h2>',
        "<ul>",
        *(_finding(each) for each in mine),
        "</ul>",
    ]


def _finding(each: Finding) -> str:
    parts = [f'<span class="sentence">{escape(each.check)}</span>']
    if each.detail:
        parts.append(f'<p class="detail">{escape(each.detail)}</p>')
    if each.evidence:
        seen = "".join(f"<li><code>{escape(one)}</code></li>" for one in each.evidence)
        parts.append(f'<ul class="evidence">{seen}</ul>')
    rule = f'<span class="rule {each.outcome}">{escape(each.rule)}</span>'
    return f'<li class="finding {each.outcome}">{rule}<div>{"".join(parts)}</div></li>'
