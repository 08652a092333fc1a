/** The style of every page: follows the reader's wish for light or dark, and prints unfolded. */

export const pageStyle = `
:root{color-scheme:light dark;--ink:#1c2430;--soft:#5a6675;--paper:#fff;--sheet:#f4f6f8;
--line:#d5dbe2;--bad:#b3261e;--warn:#8a5300;--good:#1b6e3c;--note:#3b5b92;--mark:#c2410c;
--bar:#5b7fb5;--window:#f3d9a4;--hit:#fff3c4}
@media (prefers-color-scheme:dark){:root{--ink:#e4e8ee;--soft:#9aa6b5;--paper:#14181e;
--sheet:#1c222b;--line:#343d49;--bad:#ff8a80;--warn:#f2b866;--good:#7fd19b;--note:#9dbcf0;
--mark:#ff9d66;--bar:#6f94cc;--window:#5c4a21;--hit:#4a4113}}
*{box-sizing:border-box}
body{margin:0;background:var(--paper);color:var(--ink);
font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"DejaVu Sans",sans-serif}
main{max-width:76rem;margin:0 auto;padding:1.25rem}
h1{font-size:1.35rem;margin:0 0 .25rem}h2{font-size:1.05rem;margin:1.75rem 0 .5rem}
h3{font-size:.9rem;margin:1rem 0 .25rem}
h1,h2,h3,summary,.command{overflow-wrap:anywhere}
p{margin:.35rem 0}.soft{color:var(--soft)}
code,pre,.identity{font-family:ui-monospace,"SF Mono",Menlo,Consolas,"DejaVu Sans Mono",monospace;
font-size:.87em;overflow-wrap:anywhere}
.verdict{font-size:1.05rem;font-weight:600;border-left:4px solid var(--note);padding:.4rem .75rem;
background:var(--sheet);margin:.75rem 0}
.verdict.bad{border-color:var(--bad)}.verdict.good{border-color:var(--good)}
.told{border-left:4px solid var(--warn);padding:.3rem .75rem;background:var(--sheet)}
.told.error{border-color:var(--bad)}
.counts{display:flex;flex-wrap:wrap;gap:.5rem;padding:0;margin:.75rem 0;list-style:none}
.counts li{background:var(--sheet);border:1px solid var(--line);border-radius:6px;
padding:.25rem .7rem}.counts b{font-size:1.1rem}
details{border:1px solid var(--line);border-radius:6px;margin:.35rem 0;background:var(--paper)}
details:target{outline:2px solid var(--note)}
summary{cursor:pointer;padding:.4rem .7rem}summary:focus-visible{outline:2px solid var(--note)}
details>:not(summary){margin:.35rem .7rem .6rem}
.tag{display:inline-block;font-size:.8rem;font-weight:600;border:1px solid currentColor;
border-radius:4px;padding:0 .4rem;margin-right:.45rem;color:var(--soft)}
.tag.drifted,.tag.missing,.tag.delete,.tag.replace{color:var(--bad)}
.tag.differs,.tag.unknown,.tag.update{color:var(--warn)}.tag.in_sync,.tag.create{color:var(--good)}
.tag.new{color:var(--mark)}
.identity{color:var(--soft);margin-left:.5rem}
.wide{overflow-x:auto}
table{border-collapse:collapse;width:100%}
th,td{text-align:left;vertical-align:top;padding:.25rem .6rem;border-bottom:1px solid var(--line)}
td{overflow-wrap:anywhere;min-width:5rem}th{font-size:.85rem;color:var(--soft);white-space:nowrap}
td.changed{background:var(--hit)}
pre{margin:0;padding:.5rem .7rem;background:var(--sheet);border-radius:6px;white-space:pre-wrap}
.command{display:flex;gap:.6rem;align-items:baseline;flex-wrap:wrap}
.command code{background:var(--sheet);padding:.15rem .45rem;border-radius:4px}
button,input,select{font:inherit;color:inherit;background:var(--paper);
border:1px solid var(--line);border-radius:5px;padding:.2rem .55rem;max-width:100%}
button{cursor:pointer}
.tools{display:flex;flex-wrap:wrap;gap:.5rem;align-items:center;margin:.6rem 0;position:sticky;
top:0;background:var(--paper);padding:.4rem 0;z-index:1}.tools input{flex:1 1 12rem}
[hidden]{display:none!important}
svg{display:block;max-width:none}svg text{fill:var(--ink);font:12px system-ui,sans-serif}
svg .soft{fill:var(--soft)}svg .lane{fill:var(--sheet)}svg .grid{stroke:var(--line)}
svg .bar{fill:var(--bar)}svg .bar.critical{fill:var(--mark)}svg .bar.fails{fill:var(--bad)}
svg .wait{fill:var(--soft)}
svg .spare{fill:none;stroke:var(--bar);stroke-dasharray:3 2}svg .window{fill:var(--window)}
svg .node{fill:var(--sheet);stroke:var(--line)}svg .node.critical{stroke:var(--mark)}
svg .join{fill:var(--soft)}svg .edge{fill:none;stroke:var(--soft)}
svg .curve{fill:none;stroke:var(--bad);stroke-width:2}svg .dot{fill:var(--bad)}
.key span{margin-right:1rem}.key i{display:inline-block;width:1rem;height:.7rem;
margin-right:.35rem;background:var(--bar)}.key .critical i{background:var(--mark)}
.key .fails i{background:var(--bad)}
.key .window i{background:var(--window)}
.key .wait i{background:var(--soft)}
@media print{body{font-size:11px}main{max-width:none;padding:0}.tools,button{display:none}
details{break-inside:avoid}details>:not(summary){display:block}
details::details-content{content-visibility:visible;height:auto}.wide{overflow:visible}
svg{max-width:100%;height:auto}}
`;
