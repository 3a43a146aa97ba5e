/** The page's only style sheet: it uses logical properties throughout, so that it also works from right to left. */

import { Html } from "../../files/html.ts";

/** The merchant's colours precede it as variables (frame.ts). */
export const STYLE = new Html(
  `
*{box-sizing:border-box}
[hidden]{display:none!important}
:root{color-scheme:light;--ink:#111827;--soft:#4b5563;--line:#6b7280;--pale:#f3f4f6;--bad:#b91c1c;--bad-pale:#fef2f2;
font:100%/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif}
body{margin:0;color:var(--ink);background:#fff;overflow-wrap:anywhere;-webkit-text-size-adjust:100%}
h1{font-size:1.375rem;line-height:1.25;margin:0 0 .75rem}
h2{font-size:1rem;margin:0 0 .5rem}
p{margin:0 0 .75rem}
a{color:var(--mark)}
:focus-visible{outline:3px solid var(--mark);outline-offset:2px;border-radius:.25rem}
.sheet{min-height:100vh;display:grid;grid-template-rows:auto 1fr}
.summary{background:var(--primary);color:var(--on-primary);padding:.75rem 1.25rem}
.inner,main{width:100%;max-width:27rem;margin-inline:auto}
main{padding:.75rem 1.25rem 1.5rem;display:flex;flex-direction:column}
.merchant{display:flex;align-items:center;gap:.75rem;font-weight:600;margin-block-end:.5rem}
.merchant img{max-height:2.5rem;max-width:10rem;object-fit:contain;background:#fff;border-radius:.375rem;padding:.25rem}
.headline{font-size:1.125rem;margin-block-end:.5rem}
.due{display:flex;flex-direction:column;margin-block-end:.5rem}
.due strong{font-size:1.75rem;line-height:1.15;letter-spacing:-.02em}
.product{display:flex;justify-content:space-between;gap:1rem;margin:0 0 .25rem;font-weight:600}
.product dd{margin:0;white-space:nowrap;font-variant-numeric:tabular-nums}
.terms{list-style:none;margin:.25rem 0;padding:0}
.content{white-space:pre-line}
.note,.test{background:#fef3c7;color:#713f12;padding:.5rem .75rem;border-radius:.375rem;font-size:.875rem}
.test{margin-block-end:1rem}
.note{margin:0;border-radius:0;text-align:center}
.field{margin-block-end:1rem}
label{display:block;font-weight:600;margin-block-end:.25rem}
input:not([type=checkbox]),.field select{width:100%;font:inherit;font-size:1.0625rem;color:inherit;padding:.75rem;border:1px solid var(--line);border-radius:.5rem;background:#fff}
#iban{font-variant-numeric:tabular-nums;letter-spacing:.02em}
[aria-invalid=true]{border-color:var(--bad);outline-color:var(--bad)}
input::placeholder{color:#6b7280;opacity:1}
.top{display:flex;justify-content:space-between;align-items:center;gap:.5rem 1rem;margin-block-end:.75rem;font-size:.875rem}
.top>a{text-decoration:none;padding-block:.5rem}
.top .language{margin-inline-start:auto}
.top label{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
.top select{max-width:8rem}
.notice:focus-visible{outline:2px solid var(--bad);outline-offset:0}
.more summary,.test summary{cursor:pointer;padding-block:.25rem}
.more .content{margin-block-start:.5rem}
.test ul{list-style:none;margin:.25rem 0 0;padding:0}
.test li{padding-block:.125rem}
.test button{background:none;border:0;border-block-end:1px dashed;border-radius:0;padding:.375rem 0;color:inherit;min-height:1.5rem;font-variant-numeric:tabular-nums}
#bank:empty,#bank:not(:empty)+#iban-hint,.field:has([aria-invalid]) .hint{display:none}
.hint{font-size:.875rem;color:var(--soft);margin:.25rem 0 0}
#address>.hint{margin-block-end:.5rem}
.error{font-size:.875rem;color:var(--bad);font-weight:600;margin:.25rem 0 0}
.error:empty{display:none}
.notice{background:var(--bad-pale);border-inline-start:4px solid var(--bad);padding:.75rem 1rem;margin:0 0 1.25rem;border-radius:.25rem}
.notice>:last-child{margin:0}
.notice ul{margin:0;padding-inline-start:1.25rem}
.notice a{color:var(--bad)}
.mandate{background:var(--pale);border-radius:.5rem;padding:1rem;font-size:.875rem;margin-block:1.25rem}
.mandate p{margin-block-end:.5rem}
.mandate>:last-child{margin-block-end:0}
.test+.mandate,.mandate+.mandate{margin-block-start:0}
form+.test{margin-block-start:.75rem}
dl{margin:0}
.mandate dl div,.facts div{display:flex;flex-wrap:wrap;justify-content:space-between;gap:0 1rem}
.mandate dd,.facts dd{margin:0;margin-inline-start:auto;font-weight:600;text-align:end}
.check{display:grid;grid-template-columns:1.5rem 1fr;gap:0 .75rem;align-items:start}
.check input{width:1.5rem;height:1.5rem;margin:0;accent-color:var(--mark)}
.check label{font-weight:400;margin:0}
.check .error{grid-column:2}
.implicit{font-size:.875rem;color:var(--soft)}
button,.button{font:inherit;font-weight:600;cursor:pointer;border-radius:.5rem;min-height:2.75rem}
.pay,.button{display:block;width:100%;text-align:center;text-decoration:none;font-size:1.0625rem;padding:.875rem 1rem;border:1px solid var(--on-accent);
background:var(--accent);color:var(--on-accent);box-shadow:0 1px 2px #0003}
.pay:hover,.button:hover{filter:brightness(.94)}
[aria-disabled=true]{cursor:progress}
.button[aria-disabled=true]{opacity:.6}
.quiet{display:inline-block;font-weight:600;background:#fff;color:var(--ink);border:1px solid var(--line);padding:.5rem 1rem;border-radius:.5rem;min-height:2.75rem;text-decoration:none}
#leaving{display:flex;flex-wrap:wrap;align-items:center;gap:.5rem 1rem}
.actions{display:flex;flex-wrap:wrap;gap:.5rem}
.payments summary{cursor:pointer;padding-block:.25rem}
.facts{border-block-start:1px solid #d1d5db;margin-block-end:1.5rem}
.facts div{border-block-end:1px solid #d1d5db;padding:.5rem 0}
.facts dt{color:var(--soft)}
.facts dd{font-variant-numeric:tabular-nums}
.tick,.spinner{width:3rem;height:3rem;border-radius:50%;margin-block-end:1rem}
.tick{background:#15803d;display:grid;place-items:center}
.tick::after{content:"";width:.75rem;height:1.375rem;border:solid #fff;border-width:0 .25rem .25rem 0;transform:rotate(45deg) translate(-.125rem,-.125rem)}
.spinner{border:.3125rem solid #d1d5db;border-block-start-color:var(--mark);animation:turn 1s linear infinite}
@keyframes turn{to{transform:rotate(1turn)}}
footer{margin-block-start:auto;padding-block-start:1.5rem;display:flex;flex-wrap:wrap;gap:.25rem 1.25rem;font-size:.875rem}
footer a{color:var(--soft);padding-block:.375rem}
.language{display:flex;flex-wrap:wrap;align-items:center;gap:.5rem;font-size:.875rem}
.language label{margin:0;font-weight:400;color:var(--soft)}
.language select,.language button{font:inherit;min-height:2.25rem;color:inherit;background:#fff;border:1px solid var(--line);border-radius:.375rem;padding:.25rem .5rem}
.plain{min-height:100vh;display:grid;align-items:center}
@media (min-width:56rem){
.sheet{grid-template:1fr/minmax(20rem,1fr) 2fr}
.summary{padding:4rem 2.5rem}
.due strong{font-size:2.25rem}
main{padding:4rem 2.5rem 2rem;max-width:36rem;margin-inline:clamp(0rem,6vw,6rem) auto}
.inner{max-width:22rem;margin-inline:auto 0}
.more summary{display:none}
.more::details-content{content-visibility:visible;display:block}
.plain main{margin-inline:auto;padding-block:2rem}
}
@media (prefers-reduced-motion:reduce){.spinner{animation-duration:8s}}
@media (forced-colors:active){.pay,.button{border:2px solid}}
@media print{.summary{background:none;color:#000;padding-block:0}.sheet{display:block;min-height:0}main{padding-block:1rem}
footer,.button,.quiet,.test,#leaving,.tick{display:none!important}}
`.replaceAll("\n", ""),
);
