/**
 * Makes the buttons at code samples copy them. Each is `<button data-copy>` in the same `.code` as the text; without scripts it is
 * not shown. Where the browser refuses, the text is selected instead.
 */
document.addEventListener('click', async (event) => {
  const button = event.target.closest('[data-copy]')
  if (!button) return
  const block = button.closest('.code')
  const code = block.querySelector('code')
  const said = button.querySelector('[data-said]')
  try {
    await navigator.clipboard.writeText(code.textContent)
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
