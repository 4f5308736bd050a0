/** Clients and their contracts, keys, sessions, and what operators keep for their own work. */
import { clientsPage, wordsScannedMax } from '../../../apps/service/src/clients/list-clients.ts'
import type { ExplainCase, ExplainCases } from './explain-case.ts'
import type { Sample } from './sample.ts'
import { actor } from './values.ts'

export const operatorCases = (sample: Sample): ExplainCases => ({
  ...clientCases(sample),
  ...keyCases(sample),
  ...deskCases,
})

function clientCases({ client_id, contract_id }: Sample): ExplainCases {
  const find = (search: string | undefined, atLeast: number): ExplainCase => ({
    values: clientsPage(search, { word: '', client_id: 0, contact_id: 0 }, 21),
    atLeast,
  })
  // Each word is counted up to this, and as many are examined.
  const search = (text: string, atLeast: number): ExplainCase => ({
    ...find(text, atLeast),
    bound: 4 * wordsScannedMax,
  })
  const overdue = { reason: 'Payment is overdue.' }
  const created = 'clients events operator_idempotency_keys'
  return {
    'create-client': {
      values: { stock_ids: [1], unique_references: false },
      writes: `${created} contacts contracts client_stocks`,
    },
    'find-missing-references': { values: { price_list_id: 1, stock_ids: [1] } },
    'block-client': { values: overdue, writes: 'clients events' },
    'block-contract': { values: overdue, writes: 'contracts clients events' },
    'change-client, name and stocks': {
      values: { client_name: 'Explain', stock_ids: [1, 2, 3], unique_references: true },
      writes: 'clients client_stocks events',
    },
    'create-contact': { writes: `${created} contacts` },
    'change-contact': { values: { contact_name: 'Explain' }, writes: 'contacts clients events' },
    'create-contract, new default': { values: { contract_default: true }, writes: `${created} contracts` },
    'change-contract, name': {
      values: { contract: contract_id, changes: '{"contract_name": "Explain"}' },
      writes: 'contracts clients events',
    },
    'change-contract, new default': {
      values: { contract: contract_id, changes: '{"contract_default": true}' },
      writes: 'contracts clients events',
    },
    'erase-contact': {
      prepare: `update orders set comment = 'Call me.' where client_id = ${client_id}`,
      writes: 'contacts api_keys orders orders_to_erase clients events audit_entries',
    },
    'explain-contact': {},
    'read-client': {},
    'list-clients': find(undefined, 20),
    'list-clients, by a rare word': search(String(client_id), 1),
    'list-clients, by a common word': search('autoteile', 20),
    'list-clients, by a common and a rare word': search(`dealer gmbh contact1@dealer${client_id}.`, 1),
    'list-clients, by two common words': search('autoteile gmbh', 20),
  }
}

function keyCases({ client_id }: Sample): ExplainCases {
  const revoked = 'api_keys clients events audit_entries'
  /** Twenty for each client of the larger database. Numbered here: as one statement they would make 20,000 versions of the counter. */
  const auditEntries = `
    alter table audit_entries disable trigger audit_entries_number;
    insert into audit_entries
      (audit_id, audit_datetime, audit_action, client_id, contact_id, key_id, actor, request_id)
    select 1000000 + 20 * c + n, now(), 'key_issued', c, c, n, 'explain', 'explain'
    from generate_series(1, 1000) c, generate_series(1, 20) n;
    alter table audit_entries enable trigger audit_entries_number`
  /** Answers to an operator's requests, in one go. */
  const storedAnswers = `
    insert into operator_idempotency_keys (actor, operation, idempotency_key, request_digest, answer)
    select '${actor}', 'create-contact', concat('explain', nullif(n, 0)), '', '{}' from generate_series(0, 999) n`
  const newest = (way: string) => ({ way, from_id: Number.MAX_SAFE_INTEGER })
  const operatorId = 9_000_000_001
  const operator = `insert into operators (operator_id, operator_name) values (${operatorId}, 'Explain')`
  const uses = { values: { key_ids: [1], ages_ms: [0], most: 1 } }
  return {
    'find-client-key': {},
    'changed-client-keys': { atLeast: 0 },
    'list-client-keys': {},
    'issue-client-key': {
      values: { key_id: 9_000_000_002, scopes: ['carts:read'], rate_per_second: 50, rate_burst: 100 },
      writes: 'operator_idempotency_keys api_keys clients events audit_entries',
    },
    'change-client-key': { values: { rate_per_second: 5 }, writes: 'api_keys clients events' },
    'record-client-key-uses, three keys': {
      values: { key_ids: [client_id, client_id + 1, client_id + 2], ages_ms: [0, 1_000, 60_000], most: 3 },
      writes: 'api_keys',
    },
    'revoke-client-key': { writes: revoked },
    'revoke-client-key, by its client': { values: { client_id }, writes: revoked },
    'find-operator-key': { values: { key_id: 1 }, atLeast: 0 },
    'changed-operator-keys': { atLeast: 0 },
    'list-operator-keys': { atLeast: 0 },
    'issue-operator-key': {
      values: { key_id: 9_000_000_001 },
      writes: 'operator_idempotency_keys operators operator_keys audit_entries',
    },
    'record-person': { writes: 'operators' },
    'find-operator': { values: { operator_id: operatorId }, prepare: operator },
    'list-operators': { prepare: operator },
    'erase-operator': { values: { operator: operatorId }, prepare: operator, writes: 'operators audit_entries' },
    'record-operator-key-uses': uses,
    'revoke-operator-key': { values: { key_id: 1 }, atLeast: 0 },
    'find-earlier-operator-answer': { values: { operation: 'create-contact' }, prepare: storedAnswers },
    'find-session': { values: { key_id: 1 }, atLeast: 0 },
    'changed-sessions': { atLeast: 0 },
    'list-sessions': { atLeast: 0 },
    'record-session-uses': uses,
    'start-session': {
      prepare: operator,
      values: { session_id: 9_000_000_001, operator_id: operatorId, lasts_seconds: 3600, idle_seconds: 600 },
      writes: 'operator_sessions audit_entries',
    },
    'end-session': { values: { session_id: 1 }, atLeast: 0 },
    'sign-out': {},
    'list-audit-entries, all': { values: newest('all'), prepare: auditEntries, atLeast: 21 },
    'list-audit-entries, after a position': {
      values: { way: 'after', from_id: 0 },
      prepare: auditEntries,
      atLeast: 21,
    },
    'list-audit-entries, of a client': { values: { ...newest('client'), client_id }, prepare: auditEntries },
    'list-audit-entries, of an actor': {
      values: { ...newest('actor'), actor: 'explain' },
      prepare: auditEntries,
      atLeast: 21,
    },
    'list-audit-entries, of an action': {
      values: { ...newest('action'), audit_action: 'key_issued' },
      prepare: auditEntries,
      atLeast: 21,
    },
    'record-audit-entry': {
      values: { audit_action: 'list_exported', new_value: '{}' },
      writes: 'audit_entries',
    },
    'seal-audit-day': {},
    'drop-audit-day': { values: { kept_days: 90 } },
    'read-database-identity': { atLeast: 0 },
    'record-database-identity': { atLeast: 0 },
  }
}

/** A hundred views of each of ten operators; view 1 is of the first. */
const operatorViews = `insert into operator_views (view_id, owner, view_name, filters, shared)
  select (k - 1) * 100 + n, 'operator ' || k, 'View ' || n, 'held=true', n % 10 = 0
  from generate_series(1, 10) k, generate_series(1, 100) n`

const deskCases: ExplainCases = {
  'list-views': { prepare: operatorViews, atLeast: 21 },
  'create-view': {
    values: { view_name: 'New', filters: 'held=true', shared: false, views_max: 100 },
    writes: 'operator_views audit_entries',
  },
  'change-view': { values: { view_name: 'Other' }, prepare: operatorViews, writes: 'operator_views audit_entries' },
  'delete-view': { prepare: operatorViews, writes: 'operator_views audit_entries' },
  'explain-view': { values: { view_name: 'Other' }, atLeast: 0 },
  'explain-new-view': {},
  'read-figures': { values: { days: 30, states: ['new', 'processing'] } },
  'read-reject-reasons': {},
  'set-reject-reasons': {
    values: { reasons: ['Sold out.'] },
    writes: 'reject_reasons audit_entries',
  },
}
