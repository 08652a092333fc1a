/** The style of the board: that of every page, and what a set of pages with forms has beside it. */

import { checksumText } from "../../lib/checksum.ts";
import { pageStyle } from "../html/page-style.ts";

export const boardStyle = `${pageStyle}
.skip{position:absolute;left:-99rem}.skip:focus{position:static}
.bar-top{border-bottom:1px solid var(--line);background:var(--sheet)}
.bar-top>div{max-width:76rem;margin:0 auto;padding:.45rem 1.25rem;display:flex;flex-wrap:wrap;
gap:.35rem 1.1rem;align-items:center}
.bar-top .name{font-weight:700;color:var(--ink);text-decoration:none;margin-right:.4rem}
nav ul{display:flex;flex-wrap:wrap;gap:.1rem .2rem;list-style:none;margin:0;padding:0}
nav a{display:inline-block;padding:.25rem .6rem;border-radius:5px;text-decoration:none;
color:var(--ink)}nav a:hover{background:var(--line)}
nav a[aria-current]{background:var(--paper);box-shadow:inset 0 -2px var(--note);font-weight:600}
.who{margin-left:auto;display:flex;gap:.6rem;align-items:center;min-width:0}
.who .soft{overflow-wrap:anywhere}.who form{margin:0}
.badge{display:inline-block;min-width:1.4rem;text-align:center;border-radius:1rem;
padding:0 .4rem;margin-left:.35rem;font-size:.8rem;font-weight:700;background:var(--mark);
color:var(--paper)}
a{color:var(--note)}a:focus-visible,button:focus-visible,input:focus-visible,
select:focus-visible{outline:2px solid var(--note);outline-offset:1px}
footer{max-width:76rem;margin:1.5rem auto 0;padding:.75rem 1.25rem;color:var(--soft);
font-size:.85rem;overflow-wrap:anywhere}
.tag{white-space:nowrap}
.tag.needs-approval,.tag.partial,.tag.interrupted,.tag.unfinished{color:var(--warn)}
.tag.failed,.tag.lost{color:var(--bad)}.tag.done,.tag.success{color:var(--good)}
.tag.running,.tag.queued{color:var(--note)}
svg .bar.success{fill:var(--good)}svg .bar.failed{fill:var(--bad)}
svg .bar.unknown{fill:var(--warn)}
table.rows td{min-width:0}
table.rows td.when,table.rows td.word,table.rows td.number{white-space:nowrap}
td.number,th.number{text-align:right}
.find{display:flex;flex-wrap:wrap;gap:.5rem;align-items:end;margin:.75rem 0}
.find label{display:flex;flex-direction:column;font-size:.85rem;color:var(--soft);min-width:0}
.find label.long{flex:1 1 14rem}
.find input,.find select{padding:.35rem .55rem;font-size:1rem}
.find button,.deed button{padding:.35rem .9rem}
.pager{display:flex;flex-wrap:wrap;gap:.4rem 1rem;align-items:center;margin:.75rem 0}
.deed{border:1px solid var(--line);border-left:4px solid var(--mark);border-radius:6px;
padding:.75rem 1rem;margin:1rem 0;background:var(--sheet)}
.deed h2{margin-top:0}.deed form{margin:.5rem 0 0}.deed fieldset{border:0;margin:0;padding:0}
.deed .kind{display:flex;gap:.6rem;align-items:flex-start;padding:.4rem 0;
border-top:1px solid var(--line)}
.deed .kind input{width:1.15rem;height:1.15rem;margin:.2rem 0 0;flex:none}
.deed .kind span{min-width:0;overflow-wrap:anywhere}
.deed .buttons{display:flex;flex-wrap:wrap;gap:.6rem;margin-top:.6rem}
button.main{background:var(--note);border-color:var(--note);color:var(--paper);font-weight:600}
button.bad{color:var(--bad);border-color:var(--bad)}
dl.facts{display:grid;grid-template-columns:max-content minmax(0,1fr);gap:.2rem 1rem;margin:.6rem 0}
dl.facts dt{color:var(--soft)}dl.facts dd{margin:0;overflow-wrap:anywhere}
ol.events{list-style:none;margin:0;padding:0}
ol.events li{display:grid;grid-template-columns:9.5rem minmax(0,1fr);gap:.2rem .8rem;
padding:.15rem 0;border-bottom:1px solid var(--line);overflow-wrap:anywhere}
.empty{padding:1.25rem;text-align:center;color:var(--soft);border:1px dashed var(--line);
border-radius:6px}
.told.good{border-color:var(--good)}h1,.told,.verdict{overflow-wrap:anywhere}
@media (max-width:44rem){main,.bar-top>div,footer{padding-left:.8rem;padding-right:.8rem}
.who{margin-left:0;width:100%;justify-content:space-between}
nav a{padding:.4rem .55rem}
.rows-wide{overflow:visible}
table.rows,table.rows tbody,table.rows tr,table.rows td{display:block;width:100%}
table.rows thead{position:absolute;left:-99rem}
table.rows tr{border:1px solid var(--line);border-radius:6px;margin:.5rem 0;padding:.35rem .2rem}
table.rows td{border:0;display:grid;grid-template-columns:6.5rem minmax(0,1fr);gap:.5rem;
padding:.15rem .6rem;text-align:left}
table.rows td::before{content:attr(data-label);color:var(--soft);font-size:.85rem}
table.rows td:empty{display:none}table.rows td.word{white-space:normal}
dl.facts{grid-template-columns:minmax(0,1fr);gap:0}dl.facts dd{margin-bottom:.35rem}
ol.events li{grid-template-columns:minmax(0,1fr);gap:0}}
@media print{.bar-top,.find,.pager,.deed{display:none}}
`;

/** Named by what is in it, so that a browser may keep it. */
export const boardStyleName = `style-${checksumText(boardStyle)}.css`;
