import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openDesk } from './desk.ts'

test("Today's dates are those of the service's time zone", async (t) => {
  // Where it is not the same day as in UTC.
  const SERVICE_TIME_ZONE = new Date().getUTCHours() >= 11 ? 'Pacific/Kiritimati' : 'Pacific/Pago_Pago'
  const desk = await openDesk({ worker: false, settings: { SERVICE_TIME_ZONE } })
  t.after(() => desk.close())
  const rows = await desk.service.sql(
    `select to_char(d, 'YYYY-MM-DD') as today, to_char(d - 1, 'YYYY-MM-DD') as yesterday,
       to_char(now() at time zone 'UTC', 'YYYY-MM-DD') as utc
     from (select (now() at time zone '${SERVICE_TIME_ZONE}')::date as d) x`,
  )
  const [days] = rows as { today: string; yesterday: string; utc: string }[]
  assert(days)
  assert.notEqual(days.today, days.utc)
  const page = await desk.open('viewer', '/')
  const due = page.getByRole('link', { name: /To ship today/ })
  const late = page.getByRole('link', { name: /Overdue/ })
  assert.match((await due.getAttribute('href')) ?? '', new RegExp(`ship_from=${days.today}&ship_to=${days.today}$`))
  assert.match((await late.getAttribute('href')) ?? '', new RegExp(`ship_to=${days.yesterday}$`))
})
