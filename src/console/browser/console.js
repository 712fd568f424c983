// Makes the console more convenient. Every page works without scripts.

// Sends a form once, however often its button is pressed, unless sending was stopped. A download
// stays on the page: its form may be sent again after a change, or after some seconds.
const downloadMs = 10_000
const release = (form) => delete form.dataset.sent
const releaseAll = () => [...document.forms].forEach(release)
document.addEventListener('submit', (event) => {
  const form = event.target
  if (form.method !== 'post') return
  if (form.dataset.sent) event.preventDefault()
  else if ('download' in form.dataset) setTimeout(release, downloadMs, form)
  form.dataset.sent = 'true'
})
document.addEventListener('change', ({ target: { form } }) => {
  if (form && 'download' in form.dataset) release(form)
})
document.addEventListener('keydown', ({ key }) => {
  if (key === 'Escape') releaseAll()
})
globalThis.navigation?.addEventListener('navigate', ({ signal }) => signal?.addEventListener('abort', releaseAll))

// The dialog replaces the page behind the button. It focuses the harmless answer.
const dialog = document.getElementById('revoke')
if (dialog) {
  const form = dialog.querySelector('form')
  document.addEventListener('click', (event) => {
    const button = event.target.closest('[data-revoke]')
    if (!button) return
    event.preventDefault()
    form.action = button.form.action
    dialog.querySelector('[data-name]').textContent = button.dataset.revoke
    dialog.querySelector('[data-prefix]').textContent = button.dataset.prefix
    dialog.showModal()
  })
  dialog.querySelector('[data-close]').addEventListener('click', () => dialog.close())
}

// Shows UTC times in the reader's zone, and UTC on hover.
const zoned = new Intl.DateTimeFormat('en-GB', {
  year: 'numeric',
  month: '2-digit',
  day: '2-digit',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
  timeZoneName: 'short',
})
for (const time of document.querySelectorAll('time:not([data-day])')) {
  const { year, month, day, hour, minute, second, timeZoneName } = Object.fromEntries(
    zoned.formatToParts(new Date(time.dateTime)).map(({ type, value }) => [type, value]),
  )
  if ('relative' in time.dataset) {
    time.title = `${year}-${month}-${day} ${hour}:${minute} ${timeZoneName} (${time.title})`
    continue
  }
  const [date, clock] = time.children
  const seconds = clock.textContent.split(':').length > 2 ? `:${second}` : ''
  time.title = time.textContent
  date.textContent = `${year}-${month}-${day}`
  clock.textContent = `${hour}:${minute}${seconds} ${timeZoneName}`
}

// Without https, browsers copy only on localhost: elsewhere the next step is primary.
const copies = navigator.clipboard ? document.querySelectorAll('[data-copy]') : []
if (!navigator.clipboard) document.querySelector('.onward .button:last-child')?.classList.add('primary')
for (const button of copies) {
  const { copy: id } = button.dataset
  button.hidden = false
  button.addEventListener('click', async () => {
    const said = document.querySelector(`[data-copied="${id}"]`)
    try {
      await navigator.clipboard.writeText(document.getElementById(id).textContent)
      said.textContent = 'Copied.'
    } catch {
      getSelection().selectAllChildren(document.getElementById(id))
      said.textContent = 'Could not copy. The text is selected, so you can copy it yourself.'
    }
  })
}

// The reference takes the token from the tab's storage when it opens: no address contains it.
document.querySelector('[data-try]')?.addEventListener('click', () => {
  sessionStorage.setItem('studio-inventory-token', document.getElementById('token').textContent)
})

// The day is asked for only when it is chosen.
const expires = document.getElementById('expires')
const chosenDay = document.querySelector('.chosen-day')
const showDay = () => {
  chosenDay.hidden = expires.value !== 'date'
}
if (chosenDay) {
  expires.addEventListener('change', showDay)
  showDay()
}

// A page that the browser restores has neither the secret nor a sent form.
addEventListener('pagehide', () => {
  for (const secret of document.querySelectorAll('[data-secret]')) secret.textContent = 'Shown once.'
})
addEventListener('pageshow', releaseAll)
