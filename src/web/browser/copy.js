/** The text of code, with what a part shows shortened in full. */
function wholeText(code) {
  const copy = code.cloneNode(true)
  for (const part of copy.querySelectorAll('[data-copied]')) part.textContent = part.dataset.copied
  return copy.textContent
}

/** Copies the code next to a button: `<button data-copy>` in the same `.code`. Without scripts,
 * the button stays hidden. Selects the text if the browser refuses to copy. */
document.addEventListener('click', async (event) => {
  const button = event.target.closest('[data-copy]')
  if (!button) return
  const block = button.closest('.code')
  const code = block.querySelector('code')
  const said = button.querySelector('[data-said]')
  try {
    await navigator.clipboard.writeText(wholeText(code))
    said.textContent = 'Copied'
  } catch {
    getSelection().selectAllChildren(code)
    said.textContent = 'Selected'
  }
  block.querySelector('[role=status]').textContent = said.textContent
  clearTimeout(button.reset)
  button.reset = setTimeout(() => {
    said.textContent = 'Copy'
  }, 2_000)
})
