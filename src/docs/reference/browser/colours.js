/** Colours comments, strings, numbers and words in code without changing its markup. Browsers
 * that lack the CSS Custom Highlight API show it in one colour. */
const parts = [
  /(?<comment>(?<=^|\s)(?:#|\/\/) .*$)/,
  /(?<string>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')/,
  /(?<number>(?<![\w.$-])-?\d+(?:\.\d+)?(?![\w.-]))/,
  /(?<word>\b(?:true|false|null|True|False|None|const|let|await|async|if|else|for|of|in|while|throw|new|return|import|from|with|as|def|function|export|curl)\b)/,
]
const part = new RegExp(parts.map(({ source }) => source).join('|'), 'gm')

/** The ranges of each block, which a change of its text replaces. */
const painted = new WeakMap()

function paint(code) {
  for (const [kind, range] of painted.get(code) ?? []) CSS.highlights.get(`code-${kind}`)?.delete(range)
  const nodes = []
  const walker = document.createTreeWalker(code, NodeFilter.SHOW_TEXT)
  for (let from = 0; walker.nextNode(); from += walker.currentNode.length) nodes.push([walker.currentNode, from])
  const place = (offset) => {
    const [node, from] = nodes.findLast(([, from]) => from <= offset)
    return [node, offset - from]
  }
  const ranges = [...code.textContent.matchAll(part)].map(({ 0: text, index, groups }) => {
    const [kind] = Object.entries(groups).find(([, found]) => found !== undefined)
    const range = document.createRange()
    range.setStart(...place(index))
    range.setEnd(...place(index + text.length))
    return [kind, range]
  })
  for (const [kind, range] of ranges) {
    const name = `code-${kind}`
    if (!CSS.highlights.has(name)) CSS.highlights.set(name, new Highlight())
    CSS.highlights.get(name).add(range)
  }
  painted.set(code, ranges)
}

/** Colours code when it comes into view, and again when its text changes. */
function start() {
  const seen = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) {
      if (!isIntersecting) continue
      seen.unobserve(target)
      paint(target)
    }
  })
  const changed = new MutationObserver((records) => {
    const elements = records.map(({ target }) => (target instanceof Element ? target : target.parentElement))
    const blocks = elements.flatMap((element) => {
      const around = element?.closest('pre code')
      return around ? [around] : [...(element?.querySelectorAll('pre code') ?? [])]
    })
    for (const code of new Set(blocks)) paint(code)
  })
  for (const code of document.querySelectorAll('pre code')) seen.observe(code)
  const watched = { childList: true, characterData: true, subtree: true }
  for (const samples of document.querySelectorAll('.samples')) changed.observe(samples, watched)
}

if (globalThis.Highlight) start()
