// The style of the page, light and dark, from 360 px up.

export const STYLE = `
:root {
  color-scheme: light dark;
  --ground: #f6f7f5; --card: #ffffff; --text: #1d2522; --soft: #57625d; --line: #dde2de; --way: #1a6351; --way-ground: #e3efeb;
  --good: #1b6b3f; --good-ground: #e2f3e8; --open: #7a5200; --open-ground: #fbf0d6; --bad: #a3242b; --bad-ground: #fce8e8; --plain-ground: #eceeec;
  --button: #ffffff; --act: #1a6351; --act-text: #ffffff;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #141817; --card: #1c2220; --text: #e5eae7; --soft: #a2ada7; --line: #323b37; --way: #7fd1b9; --way-ground: #21352f;
    --good: #86d9a4; --good-ground: #173425; --open: #f0c66b; --open-ground: #382c10; --bad: #ff9d9f; --bad-ground: #411d1f; --plain-ground: #2a312e;
    --button: #262d2a; --act: #7fd1b9; --act-text: #10211c;
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--text); font: 15px/1.5 system-ui, -apple-system, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif; }
small { font-size: 0.86em; color: var(--soft); }
code, pre { font-family: ui-monospace, 'SF Mono', Menlo, Consolas, 'DejaVu Sans Mono', monospace; font-size: 0.88em; overflow-wrap: anywhere; }
small.file { overflow-wrap: anywhere; }
a { color: var(--way); text-underline-offset: 0.18em; text-decoration-thickness: 1px; }
:focus-visible { outline: 2px solid var(--way); outline-offset: 2px; border-radius: 4px; }
main:focus { outline: none; }
.skip { position: absolute; left: -999px; } .skip:focus { left: 8px; top: 8px; background: var(--card); padding: 6px 12px; z-index: 2; }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }

header { display: flex; flex-wrap: wrap; align-items: center; gap: 4px 14px; padding: 8px 20px; background: var(--card); border-bottom: 1px solid var(--line); }
.brand { display: inline-flex; align-items: center; gap: 8px; font-weight: 650; letter-spacing: 0.01em; }
nav ul { display: flex; flex-wrap: wrap; gap: 2px; margin: 0; padding: 0; list-style: none; }
nav a { display: block; padding: 6px 8px; border-radius: 6px; color: var(--text); text-decoration: none; }
nav a:hover { background: var(--plain-ground); }
nav a[aria-current] { background: var(--way-ground); color: var(--way); font-weight: 600; }
header form { display: flex; align-items: center; gap: 10px; margin-left: auto; }

main { max-width: 1240px; margin: 0 auto; padding: 20px 20px 56px; }
h1 { margin: 4px 0 14px; font-size: 1.5rem; line-height: 1.25; font-weight: 650; overflow-wrap: anywhere; }
h1 .badge { font-size: 0.85rem; vertical-align: 0.22em; margin-left: 6px; }
h2 { margin: 0 0 10px; font-size: 0.98rem; font-weight: 650; }
section { margin: 18px 0; padding: 14px 18px 16px; background: var(--card); border: 1px solid var(--line); border-radius: 10px; }
.note, .nothing, .since { color: var(--soft); } .nothing, .note { margin: 8px 0; }
.none { color: var(--soft); }
.well { margin: 0; padding: 10px 14px; border-radius: 8px; background: var(--good-ground); color: var(--good); }
.failed, .reason { padding: 10px 14px; border-radius: 8px; background: var(--bad-ground); color: var(--bad); overflow-wrap: anywhere; }
.reason { margin: 0 0 14px; background: var(--plain-ground); color: var(--text); }

.badge { display: inline-block; padding: 1px 9px; border-radius: 99px; font-size: 0.86em; font-weight: 600; white-space: nowrap; }
.badge.good { background: var(--good-ground); color: var(--good); } .badge.open { background: var(--open-ground); color: var(--open); }
.badge.bad { background: var(--bad-ground); color: var(--bad); } .badge.plain { background: var(--plain-ground); color: var(--text); }

.matters { margin: 0; padding: 0; list-style: none; }
.matters li { display: grid; gap: 0 14px; grid-template-columns: minmax(150px, max-content) 1fr auto; padding: 10px 12px; border-left: 3px solid var(--bad); background: var(--bad-ground); border-radius: 0 8px 8px 0; }
.matters li + li { margin-top: 8px; } .matters strong, .matters strong a { color: var(--bad); } .matters .since { color: inherit; }
.matters small { color: inherit; } .matters a { color: inherit; }
.figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(130px, 1fr)); gap: 10px; margin: 0; padding: 0; list-style: none; }
.figures li { color: var(--soft); border-radius: 8px; background: var(--plain-ground); padding: 10px 14px; }
.figures a { color: inherit; text-decoration: none; display: block; } .figures a:hover { text-decoration: underline; }
.figures b { display: block; color: var(--text); font-size: 1.6rem; line-height: 1.2; font-weight: 650; font-variant-numeric: tabular-nums; }
.figures .bad { background: var(--bad-ground); color: var(--bad); } .figures .bad b { color: var(--bad); }

.charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(280px, 1fr)); gap: 14px 24px; margin-bottom: 10px; }
.chart { margin: 0; } .chart svg { display: block; width: 100%; height: 80px; margin-top: 6px; background: var(--plain-ground); border-radius: 7px; fill: var(--way); }

table { width: 100%; border-collapse: collapse; background: var(--card); border: 1px solid var(--line); border-radius: 10px; font-size: 0.94rem; }
section table { border: 0; }
th { text-align: left; font-weight: 600; color: var(--soft); font-size: 0.85rem; }
th, td { padding: 8px 12px; border-bottom: 1px solid var(--line); vertical-align: top; }
td { overflow-wrap: anywhere; } td time, td .badge { white-space: nowrap; } td time small, small.file, .party { display: block; }
.party { min-width: 22ch; } td:first-child a { display: inline-block; min-width: 14ch; }
tbody tr:last-child td { border-bottom: 0; } tbody tr:hover { background: color-mix(in srgb, var(--plain-ground) 45%, transparent); }

.facts { display: grid; grid-template-columns: repeat(auto-fill, minmax(280px, 1fr)); gap: 10px 24px; margin: 18px 0; padding: 14px 18px; background: var(--card); border: 1px solid var(--line); border-radius: 10px; }
section .facts { margin: 0; padding: 0; border: 0; }
.facts dt { color: var(--soft); font-size: 0.85rem; } .facts dd { margin: 0; overflow-wrap: anywhere; }

button, .button { display: inline-block; padding: 6px 14px; border: 1px solid var(--line); border-radius: 7px; background: var(--button); color: var(--text); font: inherit; font-size: 0.94rem; text-decoration: none; cursor: pointer; }
button:hover, .button:hover { border-color: var(--way); }
button.act, .login button, .search button { background: var(--act); border-color: var(--act); color: var(--act-text); font-weight: 600; }
.buttons { display: flex; flex-wrap: wrap; gap: 8px; margin: 0 0 16px; } .more { margin: 14px 0; }
.question { max-width: 70ch; font-size: 1.05rem; overflow-wrap: anywhere; }

label { display: grid; gap: 3px; color: var(--soft); font-size: 0.85rem; }
input, select, textarea { width: 100%; padding: 7px 10px; border: 1px solid var(--line); border-radius: 7px; background: var(--card); color: var(--text); font: inherit; font-size: 0.95rem; }
input, select, textarea { border-color: color-mix(in srgb, var(--soft) 60%, transparent); }
.search { display: grid; grid-template-columns: minmax(220px, 1fr) minmax(110px, 180px) minmax(110px, 160px) auto; gap: 10px; align-items: end; margin-bottom: 6px; }
.search:not(:has(select)) { grid-template-columns: minmax(200px, 360px) auto; justify-content: start; margin-bottom: 14px; }
.said { display: grid; gap: 12px; max-width: 520px; } .said .buttons { margin-top: 6px; }
.login { display: grid; gap: 14px; max-width: 360px; margin: 6vh auto 0; padding: 22px 26px 24px; background: var(--card); border: 1px solid var(--line); border-radius: 12px; }
.login h1, .login p { margin: 0; } .login button { padding: 9px; }

.findings, .keys { margin: 0; padding: 0; list-style: none; } .findings li { padding: 8px 12px; border-left: 3px solid var(--open); } .findings li + li { margin-top: 8px; }
.findings .bad { border-color: var(--bad); } .findings p { margin: 0; overflow-wrap: anywhere; } .keys li { margin-bottom: 8px; }
pre { margin: 8px 0 0; padding: 10px 12px; overflow-x: auto; background: var(--plain-ground); border-radius: 7px; max-height: 30em; }
pre.line { padding: 6px 10px; white-space: pre; } pre.line span { color: var(--soft); margin-right: 12px; }
details summary { cursor: pointer; padding: 4px 0; overflow-wrap: anywhere; }
.timeline { margin: 0; padding: 0 0 0 14px; list-style: none; border-left: 2px solid var(--line); }
.timeline li { position: relative; padding: 4px 0 8px 6px; display: grid; grid-template-columns: 250px 130px minmax(0, 1fr); gap: 0 12px; }
.timeline li::before { content: ''; position: absolute; left: -20px; top: 10px; width: 10px; height: 10px; border-radius: 50%; background: var(--way); border: 2px solid var(--card); }
.timeline span { overflow-wrap: anywhere; min-width: 0; }

@media (max-width: 760px) {
  header { padding: 8px 12px; } main { padding: 12px 12px 40px; } section { padding: 12px; }
  header form { margin-left: 0; width: 100%; justify-content: space-between; }
  .search, .search:not(:has(select)) { grid-template-columns: 1fr; }
  .matters li, .timeline li { grid-template-columns: 1fr; }
  table, tbody, tr, td { display: block; } thead { display: none; } table { background: none; border: 0; }
  tr { background: var(--card); border: 1px solid var(--line); border-radius: 10px; margin-bottom: 10px; padding: 6px 0; }
  td { display: grid; grid-template-columns: 96px minmax(0, 1fr); gap: 10px; border: 0; padding: 4px 12px; }
  td::before { content: attr(data-name); color: var(--soft); font-size: 0.85rem; }
  td time { white-space: normal; } td .badge { justify-self: start; } td small.file { grid-column: 2; }
}
@media (forced-colors: active) { .badge, .matters li, .figures li { border: 1px solid; } }
`;
