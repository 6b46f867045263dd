import { existsSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { keepInstead } from '../../server/src/process/atomic-file.ts';
import { confirm, flag, readCommand, text, yes } from '../../server/src/process/command-line.ts';
import { exportConfig } from './config-export.ts';
import { chosenKinds, kinds } from './config-kinds.ts';
import { applyChanges, type Change, planChanges, planJson, planText } from './config-plan.ts';
import { CliError, connect, hubOptions } from './hub-client.ts';
import { say, sayJson } from './output.ts';

/** Exit status of `plan` when the hub is not as the files say. */
const CHANGES = 2;
const names = kinds.map(({ name }) => name).join(', ');

/** Writes one file per kind. */
export async function exportCommand(): Promise<number> {
  const given = readCommand({
    name: 'cli export-config',
    about:
      `Writes ${names} of a hub into YAML files for \`plan\` and \`apply\`. Secrets are not in them: references such as ` +
      '${env:NAME} stand in their place.',
    options: {
      ...hubOptions,
      to: text('<folder>', 'one file per kind; default: all to the output', undefined),
      only: text('<kinds>', 'some kinds, separated by commas; default: all', undefined),
      force: flag('replace files that exist'),
    },
  });
  const files = await exportConfig(connect(given), chosenKinds(given.only));
  if (given.to === undefined) {
    say(files.map((file) => file.text).join('\n'));
    return 0;
  }
  const places = files.map((file) => ({ ...file, place: path.join(given.to ?? '', file.name) }));
  const existing = places.filter(({ place }) => existsSync(place)).map(({ place }) => place);
  if (existing.length > 0 && !given.force)
    throw new CliError(`${existing.join(', ')} exists. Add --force to replace it.`);
  mkdirSync(given.to, { recursive: true });
  for (const { place, text: content, objects, variables } of places) {
    keepInstead(place, content);
    const rest = variables.length === 0 ? '' : `, ${variables.length} secrets to be given`;
    say(`${place}: ${objects}${rest}`);
  }
  return 0;
}

const planOptions = {
  ...hubOptions,
  prune: flag('also delete what the files lack, of the kinds that they have'),
  'resend-secrets': flag('send all secrets again: the hub returns none to be compared'),
  json: flag('print the changes as JSON'),
};

/** Prints the changes; the exit status says whether there are any. */
export async function planCommand(): Promise<number> {
  const given = readCommand({
    name: 'cli plan',
    about: `Compares a hub with YAML files of ${names}, and prints what \`apply\` would change. Changes nothing.`,
    others: '<files and folders>',
    options: planOptions,
    more: `Exit status: 0 nothing to change, ${CHANGES} changes, 1 mistakes.`,
    mistyped: 1,
  });
  const changes = await changesOf(given);
  print(changes, given.json);
  return changes.length > 0 ? CHANGES : 0;
}

/** Prints the changes, asks, and makes them. */
export async function applyCommand(): Promise<number> {
  const given = readCommand({
    name: 'cli apply',
    about:
      `Makes a hub as YAML files of ${names} say. Prints the changes first and asks. After an interruption, run it again: ` +
      'it makes what is missing.',
    others: '<files and folders>',
    options: { ...planOptions, yes },
    more: 'Exit status: 0 the hub is as the files say, 1 it is not.',
  });
  const hub = connect(given);
  const changes = await changesOf(given, hub);
  print(changes, given.json);
  const byHand = changes.filter((change) => change.byHand);
  const others = changes.length - byHand.length;
  if (others > 0) {
    await confirm(`Make ${others === 1 ? 'this change' : `these ${others} changes`} at ${hub.address}?`, given.yes);
    let made = 0;
    await applyChanges(hub, changes, (some) => {
      made += some.length;
      if (!given.json) for (const { kind, name } of some) say(`done: ${kind.name}.${name}`);
    });
    if (!given.json) say(`${made} of ${others} changes made.`);
  }
  if (byHand.length === 0) return 0;
  process.stderr.write(
    `${byHand.map(({ kind, name }) => `${kind.name}.${name}`).join(', ')}: change it in the console. It needs a proof of identity, which an access key cannot give.\n`,
  );
  return 1;
}

interface PlanArguments {
  others: string[];
  prune: boolean;
  'resend-secrets': boolean;
  hub: string | undefined;
  'key-file': string | undefined;
}

function changesOf(given: PlanArguments, hub = connect(given)): Promise<Change[]> {
  if (given.others.length === 0) throw new CliError('Which files or folders? Try --help.');
  return planChanges(hub, given.others, { prune: given.prune, resend: given['resend-secrets'] });
}

function print(changes: readonly Change[], asJson: boolean): void {
  if (asJson) sayJson(planJson(changes));
  else say(planText(changes));
}
