/** Builds the image without a Docker daemon, with Debian's buildah, and runs programs in it as a container does. */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, realpathSync, renameSync, rmSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'

const root = join(import.meta.dirname, '../..')
const nodeVersion = readFileSync(join(root, '.node-version'), 'utf8').trim()
export const baseImage = `docker.io/library/node:${nodeVersion}-bookworm-slim`
export const image = 'localhost/parts-ordering:try'

const environment = { ...process.env, STORAGE_DRIVER: 'vfs', BUILDAH_ISOLATION: 'chroot' }

export const buildah = (...args: string[]): string =>
  execFileSync('buildah', args, { cwd: root, encoding: 'utf8', env: environment, maxBuffer: 1e9 }).trim()

/** Whether the storage has an image of this name. */
export const hasImage = (name: string): boolean =>
  buildah('images', '--format', '{{.Name}}:{{.Tag}}').split('\n').includes(name)

/**
 * An image with the name of the public one, from Debian packages, the Node that runs this and its npm. The public one
 * is Debian with the same Node under /usr/local.
 */
export function makeBaseImage(): void {
  if (hasImage(baseImage)) return
  const cache = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'parts-ordering-ci')
  const files = join(cache, 'bookworm-minbase')
  if (!existsSync(files)) {
    const unfinished = `${files}.unfinished`
    rmSync(unfinished, { recursive: true, force: true })
    mkdirSync(cache, { recursive: true })
    execFileSync('debootstrap', ['--variant=minbase', '--include=binutils,libatomic1', 'bookworm', unfinished], {
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    renameSync(unfinished, files)
  }
  const npm = join(dirname(realpathSync(execFileSync('which', ['npm'], { encoding: 'utf8' }).trim())), '..')
  const usr = join(files, 'usr/local')
  cpSync(process.execPath, join(usr, 'bin/node'))
  cpSync(npm, join(usr, 'lib/node_modules/npm'), { recursive: true })
  execFileSync('ln', ['-sf', '../lib/node_modules/npm/bin/npm-cli.js', join(usr, 'bin/npm')])
  const container = buildah('from', 'scratch')
  try {
    buildah('add', '--quiet', container, files, '/')
    buildah('config', '--env', 'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', container)
    buildah('commit', '--quiet', container, baseImage)
  } finally {
    buildah('rm', container)
  }
}

export function buildImage(): void {
  const args = ['--build-arg', `NODE_VERSION=${nodeVersion}`, '--build-arg', `REVISION=${revision()}`]
  // npm's cache of this user, so that a build here needs the network for new packages only.
  const npmCache = join(homedir(), '.npm')
  mkdirSync(npmCache, { recursive: true })
  execFileSync(
    'buildah',
    ['bud', '--pull=never', '--format=docker', '--ignorefile=deploy/image/Dockerfile.dockerignore', '--no-cache',
      '-v', `${npmCache}:/root/.npm`, ...args, '-f', 'deploy/image/Dockerfile', '-t', image, '.'],
    { cwd: root, env: environment, stdio: ['ignore', 'inherit', 'inherit'] },
  ) // prettier-ignore
}

const revision = (): string => execFileSync('git', ['rev-parse', 'HEAD'], { cwd: root, encoding: 'utf8' }).trim()

export interface ImageConfig {
  readonly User: string
  readonly Entrypoint: readonly string[]
  readonly Cmd: readonly string[]
  readonly Env: readonly string[]
  readonly Labels: Readonly<Record<string, string>>
  readonly WorkingDir: string
  readonly Healthcheck: { readonly Test: readonly string[] }
}

export const configOf = (name: string): ImageConfig =>
  (JSON.parse(buildah('inspect', '--type', 'image', name)) as { Docker: { config: ImageConfig } }).Docker.config

export interface Container {
  /** Its root directory as this machine sees it. */
  readonly files: string
  /** Starts a program as the image's user, with a read-only root, as process 1 of its own process namespace. */
  readonly start: (args: readonly string[], settings: Record<string, string>) => ChildProcess
  readonly remove: () => void
}

export function openContainer(): Container {
  const container = buildah('from', '--pull=never', image)
  const files = buildah('mount', container)
  const config = configOf(image)
  // The kernel takes all capabilities from a process that becomes an ordinary user.
  const script = [
    'set -eu',
    'mount --bind "$ROOT" "$ROOT"',
    'mount -o remount,ro,bind "$ROOT"',
    'mount --rbind /dev "$ROOT/dev"',
    'mount -t proc proc "$ROOT/proc"',
    'exec setpriv --no-new-privs -- chroot --userspec="$ACCOUNT" "$ROOT" /usr/local/bin/node "$@"',
  ].join('\n')
  return {
    files,
    start: (args, settings) => {
      const variables = Object.fromEntries(config.Env.map((pair) => pair.split(/=(.*)/s).slice(0, 2)))
      return spawn('unshare', ['--mount', '--pid', '--fork', '--kill-child', '/bin/sh', '-c', script, 'sh', ...args], {
        env: { ...variables, ...settings, PATH: process.env['PATH'], ROOT: files, ACCOUNT: config.User },
        stdio: ['ignore', 'pipe', 'pipe'],
      })
    },
    remove: () => {
      buildah('umount', container)
      buildah('rm', container)
    },
  }
}
