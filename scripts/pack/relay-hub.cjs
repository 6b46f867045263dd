#!/usr/bin/env node
'use strict';
/*
 * The program of the package: `relay-hub` starts the server, `relay-hub <command>` runs a command of the operator.
 * Plain JavaScript, because an older Node has to be able to read it.
 */
var fs = require('fs');
var path = require('path');

var WANTED_MAJOR = 26;

function fail(text, status) {
  process.stderr.write(text + '\n');
  process.exit(status || 1);
}

if (Number(process.versions.node.split('.')[0]) < WANTED_MAJOR)
  fail('Relay Hub needs Node ' + WANTED_MAJOR + ' or newer; this is Node ' + process.version + '.');

var readJson = function (name) {
  return JSON.parse(fs.readFileSync(path.join(__dirname, name), 'utf8'));
};

function has(commands, name) {
  return Object.prototype.hasOwnProperty.call(commands, name);
}

function listOf(commands) {
  return Object.keys(commands)
    .map(function (name) {
      return '  ' + name.padEnd(20) + commands[name] + '\n';
    })
    .join('');
}

function usage() {
  var commands = readJson('hub/commands.json');
  var start = { start: 'run the server (default); data is kept in ./data or DATA_DIR' };
  return (
    'usage: relay-hub [command] [arguments]\n' +
    listOf(Object.assign(start, commands.operator)) +
    'with an access key, for a hub anywhere:\n' +
    listOf(commands.client) +
    '  --version           print the version\nEach command tells more with --help.'
  );
}

function main(args) {
  var name = args[0] === undefined ? 'start' : args[0];
  if (name === '--version' || name === '-v') return void process.stdout.write(readJson('package.json').version + '\n');
  if (name === '--help' || name === '-h') return void process.stdout.write(usage() + '\n');
  // `relay-hub --port 3100` starts, as `relay-hub` alone does.
  var isStart = name === 'start' || name[0] === '-';
  var commands = readJson('hub/commands.json');
  var isClient = has(commands.client, name);
  if (!isStart && !isClient && !has(commands.operator, name)) fail('there is no ' + name + '\n' + usage(), 2);
  var script = isClient ? 'cli' : name;
  var file = isStart ? path.join('server', 'src', 'main.js') : path.join('scripts', script + '.js');
  // The client reads which of its commands it is.
  var isNamed = name === args[0] && name[0] !== '-' && !isClient;
  process.argv = [process.argv[0], path.join(__dirname, 'hub', file)].concat(isNamed ? args.slice(1) : args);
  import(require('url').pathToFileURL(path.join(__dirname, 'hub', file)).href).catch(function (error) {
    fail(String((error && error.stack) || error));
  });
}

main(process.argv.slice(2));
