/** Marks the current section in the contents. On a narrow screen, closes them after a link. */
const contents = document.getElementById('contents')
const current = document.getElementById('current')
const links = new Map([...contents.querySelectorAll('#all a')].map((link) => [link.hash.slice(1), link]))
const sections = [...links.keys()].map((id) => document.getElementById(id))

let marked
function mark() {
  // The section at the upper third of the window, or the last one at the end of the page.
  const line = innerHeight / 3
  const isAtEnd = scrollY > 0 && scrollY + innerHeight >= document.documentElement.scrollHeight - 2
  const section = isAtEnd ? sections.at(-1) : sections.findLast((each) => each.getBoundingClientRect().top <= line)
  const link = links.get((section ?? sections[0]).id)
  if (link === marked) return
  marked?.removeAttribute('aria-current')
  link.setAttribute('aria-current', 'location')
  marked = link
  current.textContent = link.textContent
  const [box, outer] = [link.getBoundingClientRect(), contents.getBoundingClientRect()]
  if (box.top < outer.top + 80 || box.bottom > outer.bottom - 40) {
    contents.scrollTop += box.top - outer.top - outer.height / 3
  }
}

let isWaiting = false
function markSoon() {
  if (isWaiting) return
  isWaiting = true
  requestAnimationFrame(() => {
    isWaiting = false
    mark()
  })
}

addEventListener('scroll', markSoon, { passive: true })
addEventListener('resize', markSoon, { passive: true })
contents.addEventListener('click', (event) => {
  if (event.target.closest('a') && contents.matches(':popover-open')) contents.hidePopover()
})
mark()
