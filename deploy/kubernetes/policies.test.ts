/**
 * What the network policies admit, by evaluating their selectors as a cluster does: a connection must be admitted by a policy
 * of its source and by one of its destination. There is no cluster here that would enforce them.
 */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { BlockList, isIP } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { parseAllDocuments } from 'yaml'

type Labels = Readonly<Record<string, string>>
interface Selector {
  readonly matchLabels?: Labels
  readonly matchExpressions?: readonly { readonly key: string; readonly operator: string; readonly values: readonly string[] }[] // prettier-ignore
}
interface Peer {
  readonly podSelector?: Selector
  readonly namespaceSelector?: Selector
  readonly ipBlock?: { readonly cidr: string; readonly except?: readonly string[] }
}
interface Rule {
  readonly from?: readonly Peer[]
  readonly to?: readonly Peer[]
  readonly ports?: readonly { readonly port: number | string; readonly protocol?: string }[]
}
interface Policy {
  readonly kind: string
  readonly metadata: { readonly name: string; readonly namespace: string }
  readonly spec: {
    readonly podSelector: Selector
    readonly policyTypes: readonly ('Ingress' | 'Egress')[]
    readonly ingress?: readonly Rule[]
    readonly egress?: readonly Rule[]
  }
}

const policies = parseAllDocuments(
  execFileSync('kubectl', ['kustomize', join(import.meta.dirname, 'overlays/production')], { encoding: 'utf8' }),
)
  .map((document) => document.toJS() as Policy)
  .filter(({ kind }) => kind === 'NetworkPolicy')

interface Pod {
  readonly namespace: string
  readonly labels: Labels
  readonly ports: Readonly<Record<string, number>>
}
/** A pod, or an address outside of the cluster. */
type End = Pod | string

const pod = (namespace: string, labels: Labels, ports: Readonly<Record<string, number>> = {}): Pod => ({ namespace, labels, ports }) // prettier-ignore
const named = (name: string, ports = {}): Pod => pod('parts', { 'app.kubernetes.io/name': name }, ports)
const api = named('api', { http: 8080, operators: 8090, metrics: 9464 })
const worker = named('worker', { health: 8081, metrics: 9465 })
const migrate = named('migrate')
const check = named('check')
const redis = named('redis')
const database = pod('parts', { 'cnpg.io/cluster': 'parts-db', 'cnpg.io/instanceRole': 'primary' })
const standby = pod('parts', { 'cnpg.io/cluster': 'parts-db', 'cnpg.io/instanceRole': 'replica' })
const operator = pod('cnpg-system', { 'app.kubernetes.io/name': 'cloudnative-pg' })
const names = pod('kube-system', { 'k8s-app': 'kube-dns' })
const ingress = pod('ingress', { 'app.kubernetes.io/name': 'haproxy-ingress' })
const internal = pod('ingress-internal', { 'app.kubernetes.io/name': 'haproxy-ingress' })
const prometheus = pod('monitoring', { 'app.kubernetes.io/name': 'prometheus' })
const stranger = pod('shop', { 'app.kubernetes.io/name': 'api', 'cnpg.io/cluster': 'parts-db' })

const matches = ({ matchLabels = {}, matchExpressions = [] }: Selector, labels: Labels): boolean =>
  Object.entries(matchLabels).every(([key, value]) => labels[key] === value) &&
  matchExpressions.every(({ key, operator: is, values }) => {
    assert.equal(is, 'In') // The only one that is used, and evaluated here.
    return labels[key] !== undefined && values.includes(labels[key])
  })

const contains = (network: string, address: string): boolean => {
  const [base = '', bits] = network.split('/')
  const family = (text: string): 'ipv4' | 'ipv6' => (isIP(text) === 4 ? 'ipv4' : 'ipv6')
  if (family(base) !== family(address)) return false
  const list = new BlockList()
  list.addSubnet(base, Number(bits), family(base))
  return list.check(address, family(address))
}

function isPeer({ podSelector, namespaceSelector, ipBlock }: Peer, end: End, namespace: string): boolean {
  if (typeof end === 'string')
    return ipBlock !== undefined && contains(ipBlock.cidr, end) && !(ipBlock.except ?? []).some((network) => contains(network, end)) // prettier-ignore
  if (ipBlock !== undefined) return false // Of pods, whose addresses are private and not those of these tests.
  if (namespaceSelector === undefined && end.namespace !== namespace) return false
  if (namespaceSelector !== undefined && !matches(namespaceSelector, { 'kubernetes.io/metadata.name': end.namespace }))
    return false
  return matches(podSelector ?? {}, end.labels)
}

/** Whether the policies of one end admit the connection: any of those that select it, or there is none. */
function admits(direction: 'Ingress' | 'Egress', own: End, other: End, target: End, port: number, protocol: string): boolean {
  if (typeof own === 'string') return true
  const selecting = policies.filter(
    ({ metadata, spec }) =>
      metadata.namespace === own.namespace &&
      spec.policyTypes.includes(direction) &&
      matches(spec.podSelector, own.labels),
  )
  if (selecting.length === 0) return true
  const numberOf = (given: number | string): number | undefined =>
    typeof given === 'number' ? given : typeof target === 'string' ? undefined : target.ports[given]
  return selecting.some(({ spec, metadata }) =>
    (direction === 'Ingress' ? spec.ingress : spec.egress)?.some(({ from, to, ports }) => {
      const peers = direction === 'Ingress' ? from : to
      return (
        (peers === undefined || peers.some((peer) => isPeer(peer, other, metadata.namespace))) &&
        (ports === undefined ||
          ports.some((allowed) => numberOf(allowed.port) === port && (allowed.protocol ?? 'TCP') === protocol))
      )
    }),
  )
} // prettier-ignore

const isAdmitted = (from: End, to: End, port: number, protocol = 'TCP'): boolean =>
  admits('Egress', from, to, to, port, protocol) && admits('Ingress', to, from, to, port, protocol)

const needed: Readonly<Record<string, readonly [from: End, to: End, port: number, protocol?: string]>> = {
  'dealers by the ingress': [ingress, api, 8080],
  'operators by theirs': [internal, api, 8090],
  'metrics of the API': [prometheus, api, 9464],
  'metrics of the worker': [prometheus, worker, 9465],
  'metrics of the database': [prometheus, database, 9187],
  'the API in the database': [api, database, 5432],
  'the worker in the database': [worker, database, 5432],
  'the migration': [migrate, database, 5432],
  'the nightly check': [check, standby, 5432],
  replication: [standby, database, 5432],
  'replication after a failover': [database, standby, 5432],
  'the state of another instance': [standby, database, 8000],
  'the operator asks an instance': [operator, database, 8000],
  'the operator in the database': [operator, standby, 5432],
  'an instance reports to Kubernetes': [database, '10.96.0.1', 443],
  'the server of Kubernetes behind that address': [database, '10.0.0.5', 6443],
  'backups in an object store': [database, '52.218.1.1', 443],
  'names of the API': [api, names, 53, 'UDP'],
  'names of the worker': [worker, names, 53, 'TCP'],
  'names of the migration': [migrate, names, 53, 'UDP'],
  'names of the check': [check, names, 53, 'UDP'],
  'names of the database': [database, names, 53, 'UDP'],
  'webhooks': [worker, '93.184.215.14', 443],
  'webhooks over IPv6': [worker, '2606:2800:21f:cb07::1', 443],
  'the identity provider': [api, '93.184.215.14', 443],
  'rate limits in Redis': [api, redis, 6379],
  'traces of the API': [api, prometheus, 4318],
  'traces of the worker': [worker, prometheus, 4318],
} // prettier-ignore

test('every connection that the service needs is admitted', () => {
  for (const [what, [from, to, port, protocol]] of Object.entries(needed))
    assert(isAdmitted(from, to, port, protocol), what)
})

const forbidden: Readonly<Record<string, readonly [from: End, to: End, port: number, protocol?: string]>> = {
  'dealers on the port of operators': [ingress, api, 8090],
  'operators on the port of dealers': [internal, api, 8080],
  'dealers read metrics': [ingress, api, 9464],
  'operators read metrics': [internal, api, 9464],
  'Prometheus on the API': [prometheus, api, 8080],
  'a pod of another namespace on the API': [stranger, api, 8080],
  'a pod of another namespace on the port of operators': [stranger, api, 8090],
  'a pod of another namespace in the database, by the labels of ours': [stranger, database, 5432],
  'a pod of another namespace asks an instance for its state': [stranger, database, 8000],
  'anybody on a pod that no policy names': [stranger, named('tool'), 80],
  'such a pod on the internet': [named('tool'), '93.184.215.14', 443],
  'the internet on the API': ['93.184.215.14', api, 8080],
  'the internet in the database': ['93.184.215.14', database, 5432],
  'the worker on the API': [worker, api, 8080],
  'the API changes an instance': [api, database, 8000],
  'the ingress in the database': [ingress, database, 5432],
  'Prometheus in the database': [prometheus, database, 5432],
  'another pod of the namespace of the operator': [pod('cnpg-system', {}), database, 8000],
  'the worker in Redis': [worker, redis, 6379],
  'the migration on the internet': [migrate, '93.184.215.14', 443],
  'the check on the internet': [check, '93.184.215.14', 443],
  'mail of the worker': [worker, '93.184.215.14', 25],
  'another database': [api, '93.184.215.14', 5432],
  'names of somebody else': [worker, '8.8.8.8', 53, 'UDP'],
  'the metadata of the cloud, by the database': [database, '169.254.169.254', 443],
  'the ssh of a node, by the database': [database, '10.0.0.5', 22],
}

test('none of the forbidden connections is admitted', () => {
  for (const [what, [from, to, port, protocol]] of Object.entries(forbidden))
    assert(!isAdmitted(from, to, port, protocol), what)
})

test('webhooks and sign-in never reach a private address, a node or the metadata of a cloud', () => {
  for (const address of [
    '0.0.0.1',
    '10.0.0.5',
    '10.244.3.4',
    '100.64.0.1',
    '127.0.0.1',
    '168.63.129.16',
    '169.254.169.254',
    '172.16.0.1',
    '172.31.255.254',
    '192.168.1.1',
    '198.18.0.1',
    '224.0.0.1',
    '255.255.255.255',
    '::1',
    '::ffff:10.0.0.1',
    'fd00::1',
    'fe80::1',
    'fd00:ec2::254',
    '64:ff9b::a00:1',
    '2002:a00:1::1',
    '2001::1',
  ])
    // prettier-ignore
    for (const pods of [api, worker]) assert(!isAdmitted(pods, address, 443), address)
})
