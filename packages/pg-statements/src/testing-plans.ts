/** The plans of all statements that a statement executes, those of its functions and triggers included. */
import type pg from 'pg'

/**
 * Runs a statement and returns the plans with which PostgreSQL executed it and what its functions and triggers execute.
 * auto_explain sends them as messages. Needs a superuser and an open transaction, whose end undoes the settings.
 */
export async function withPlans<T>(
  session: pg.Client,
  format: 'json' | 'text',
  execute: () => Promise<T>,
): Promise<{ result: T; plans: string[] }> {
  await session.query(`
    load 'auto_explain';
    set local client_min_messages = log;
    set local auto_explain.log_nested_statements = on;
    set local auto_explain.log_analyze = on;
    set local auto_explain.log_timing = off;
    set local auto_explain.log_buffers = on;
    set local auto_explain.log_format = ${format};
    set local auto_explain.log_min_duration = 0`)
  const plans: string[] = []
  const onMessage = ({ message = '' }: { message?: string | undefined }): void => {
    const [, plan] = /plan:\n(.*)$/s.exec(message) ?? []
    if (plan !== undefined) plans.push(plan)
  }
  session.on('notice', onMessage)
  try {
    return { result: await execute(), plans }
  } finally {
    session.off('notice', onMessage)
  }
}
