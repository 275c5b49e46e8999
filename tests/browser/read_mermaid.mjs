// Reads a JSON list of diagrams and writes a JSON list of what Mermaid makes of each: the nodes and
// edges it understands, and the labels it shows. A document without a screen stands in for a browser:
// sizes are made up, all else is Mermaid's own doing.
import { JSDOM } from "jsdom";

const { window } = new JSDOM("<!doctype html><body></body>", { pretendToBeVisual: true });
const width = (element) => 8 * (element.textContent || "").length;
window.SVGElement.prototype.getComputedTextLength = function () { return width(this); };
window.SVGElement.prototype.getBBox = function () {
  return { x: 0, y: 0, width: width(this), height: 16 };
};
globalThis.window = window;
for (const name of ["document", "Element", "HTMLElement", "SVGElement", "Node", "NodeFilter",
  "DocumentFragment", "HTMLTemplateElement", "DOMParser", "XMLSerializer", "getComputedStyle",
  "MutationObserver", "Option", "CSSStyleSheet", "ShadowRoot"]) {
  globalThis[name] = window[name];
}
const { default: mermaid } = await import("mermaid");

// What a label must never become: a tag beside the paragraph that Mermaid itself puts around it.
function shownBy(svg) {
  const page = new window.DOMParser().parseFromString(svg, "text/html");
  const nodes = [...page.querySelectorAll("g.node")].map((node) => ({
    id: node.getAttribute("id"),
    text: node.querySelector(".nodeLabel").textContent,
    tags: [...node.querySelectorAll(".nodeLabel *")].map((element) => element.tagName),
  }));
  const odd = [...page.querySelectorAll("script, img, a, image, iframe, [onclick], [onerror]")];
  return { nodes, odd: odd.map((element) => element.outerHTML) };
}

async function read(text, number) {
  const { db } = await mermaid.mermaidAPI.getDiagramFromText(text);
  const { svg } = await mermaid.render(`diagram${number}`, text);
  return {
    nodes: [...db.getVertices().values()].map(({ id, classes }) => ({ id, classes })),
    edges: db.getEdges().map(({ start, end, text: label }) => [start, end, label]),
    subgraphs: db.getSubGraphs().length,
    classes: [...db.getClasses().keys()],
    shown: shownBy(svg),
  };
}

let input = "";
for await (const chunk of process.stdin) input += chunk;
const { securityLevel, diagrams } = JSON.parse(input);
mermaid.initialize({ startOnLoad: false, securityLevel });
const replies = [];
for (const [number, text] of diagrams.entries()) {
  replies.push(await read(text, number).catch((error) => ({ error: String(error.message) })));
}
process.stdout.write(JSON.stringify(replies), () => process.exit(0));
