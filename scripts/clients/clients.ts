import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { flag, readCommand, text } from '../../server/src/process/command-line.ts';
import { addAgentChannels } from '../../testing/agents/agent-hub.ts';
import { agentVendors, startAgentVendors, vendorNames } from '../../testing/agents/agent-vendors.ts';
import { emptySqlite } from '../../testing/databases.ts';
import { type ClientRuns, clientRunsFile, ownFaults } from '../../testing/dialects/client-runs.ts';
import { addToken, liftRates, startHub } from '../../testing/hub.ts';
import { root, run, say } from '../lib/run.ts';
import { type Environment, environments, installClients, installedVersions } from './install-clients.ts';
import { runLibrary } from './run-libraries.ts';
import { runnable, runProgram, type Seen } from './run-programs.ts';

const { update, only } = readCommand({
  name: 'clients',
  about:
    'Runs current command line tools and Python libraries against the real server, on a channel of each dialect with a ' +
    'strict simulated vendor behind it. Writes what passed for docs/dialects.md.',
  options: {
    update: flag('install the versions that are current on the registries'),
    only: text('<clients>', 'such as "Claude Code,openai"; the other results stay', undefined),
  },
});
const wanted = only?.split(',').map((name) => name.trim());
const isWanted = (name: string): boolean => wanted === undefined || wanted.includes(name);

await installClients(update);
const vendors = await startAgentVendors();
const database = await emptySqlite();
const hub = await startHub(database);
await addAgentChannels(hub, vendors);
await liftRates(hub.root);
const { key } = await addToken(hub);
const { url } = hub;

/** Results of each client on each vendor's channel. */
const seen: Record<string, Record<string, Seen>> = {};
const note = (client: string, vendor: string, results: Seen): void => {
  (seen[client] ??= {})[vendor] = results;
  for (const [check, error] of Object.entries(results)) {
    say(`${client} on ${vendor}: ${check} ${error === '' ? 'passed' : 'FAILED'}`);
    if (error !== '') process.stdout.write(`${error}\n`);
  }
  for (const { calls } of Object.values(vendors)) {
    for (const { status, refusal, path: at } of calls)
      if (status !== 200) process.stdout.write(`  a vendor answered ${status} to ${at}: ${refusal}\n`);
    calls.length = 0;
  }
};

for (const name of Object.keys(runnable).filter(isWanted))
  for (const vendor of vendorNames)
    note(name, vendor, await runProgram(name, { url, key, model: agentVendors[vendor].model }));
for (const [environment, libraries] of Object.entries(environments) as [Environment, readonly string[]][])
  for (const library of libraries.filter((name) => environment !== 'aider' && isWanted(name))) {
    const models = vendorNames.map((vendor) => `${vendor}=${agentVendors[vendor].model}`);
    const results = await runLibrary(library, environment, { url, key, models });
    for (const [vendor, result] of Object.entries(results)) note(library, vendor, result);
  }

await hub.close();
await database.remove();
for (const vendor of Object.values(vendors)) vendor.close();

const file = path.join(root, clientRunsFile);
const before = wanted === undefined ? undefined : (JSON.parse(readFileSync(file, 'utf8')) as ClientRuns);
const versions = await installedVersions();
const runs: ClientRuns = { date: new Date().toISOString().slice(0, 10), clients: { ...before?.clients } };
let failures = 0;
for (const [client, byVendor] of Object.entries(seen)) {
  const version = versions[client === 'aider' ? 'aider-chat' : client] ?? '';
  const channels = Object.entries(byVendor).map(([vendor, results]) => {
    const passed = Object.keys(results).filter((check) => results[check] === '');
    const failed = Object.keys(results).filter((check) => results[check] !== '');
    const isOwn = (check: string): boolean =>
      ownFaults.some((fault) => fault.client === client && fault.vendor === vendor && fault.check === check);
    failures += failed.filter((check) => !isOwn(check)).length;
    return [vendor, { passed, failed }];
  });
  runs.clients[client] = {
    version,
    channels: Object.fromEntries(channels) as ClientRuns['clients'][string]['channels'],
  };
}
writeFileSync(file, JSON.stringify(runs));
await run('oxfmt', [file]);
say(
  `${failures} checks failed that should pass; results are in ${clientRunsFile}, and docs/dialects.md is made by its test with -u`,
);
process.exitCode = failures > 0 ? 1 : 0;
