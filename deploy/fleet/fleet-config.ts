/** The file that describes the fleet: its servers and its proxy. `FLEET` names it; fleet.example.json is one. */
import { readFileSync } from 'node:fs'

/** A machine with PostgreSQL, and with the processes of the distributors whose databases are there. */
export interface FleetServer {
  /** Of a superuser, without a database. */
  readonly postgres: string
  /** Where processes listen, and where PostgreSQL is reached from the processes of all servers. */
  readonly address: string
  /** Runs the command that follows as its last argument on the machine: `["ssh", "root@10.0.0.11"]`. */
  readonly shell: readonly string[]
  /** The folder of the settings files. */
  readonly settings: string
  /** `systemctl`, or a program that takes the same verbs. */
  readonly systemctl: string
  /** The first port of the processes. Each distributor has two: for the API, and for its metrics. */
  readonly ports: number
}

export interface FleetConfig {
  /** The folder with a file for each distributor. */
  readonly directory: string
  /** The folder with the targets of Prometheus (`file_sd_configs`). */
  readonly targets: string
  /** The folder for exports of deleted distributors. */
  readonly exports: string
  readonly proxy: {
    /** From which its requests come. */
    readonly address: string
    readonly map: string
    /** Its admin sockets. */
    readonly sockets: readonly string[]
  }
  readonly servers: Readonly<Record<string, FleetServer>>
  /** Settings of every process, beside those that the fleet sets. */
  readonly environment: Readonly<Record<string, string>>
}

export interface Fleet {
  readonly config: FleetConfig
  /** Called at the beginning of each step. A command that ends anywhere continues when it is run again. */
  readonly step: (name: string) => void
}

/** What the operator can fix: printed without a stack. */
export class FleetProblem extends Error {}

export function readFleetConfig(file: string): FleetConfig {
  const config = JSON.parse(readFileSync(file, 'utf8')) as FleetConfig
  for (const name of ['directory', 'targets', 'exports', 'proxy', 'servers', 'environment'] as const)
    if (config[name] === undefined) throw new FleetProblem(`${file} has no "${name}".`)
  return config
}

export function serverNamed({ config }: Fleet, name: string): FleetServer {
  const server = config.servers[name]
  if (server === undefined)
    throw new FleetProblem(`There is no server ${name}: the servers are ${Object.keys(config.servers).join(', ')}.`)
  return server
}
