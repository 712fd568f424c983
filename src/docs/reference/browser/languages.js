/** Switches all samples to the chosen language, and keeps the reader's place. */
document.addEventListener('change', ({ target }) => {
  if (!target.matches('input[type=radio][name^=language-]')) return
  const before = target.getBoundingClientRect().top
  for (const other of document.querySelectorAll(`input[data-name="${target.dataset.name}"][name^=language-]`)) {
    other.checked = true
  }
  scrollBy({ top: target.getBoundingClientRect().top - before, behavior: 'instant' })
})
