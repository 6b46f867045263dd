import { readCommand } from '../server/src/process/command-line.ts';
import { clientCommands } from './cli/commands.ts';
import { CliError } from './cli/hub-client.ts';

const [, , name = ''] = process.argv;
if (Object.hasOwn(clientCommands, name)) {
  process.argv.splice(2, 1);
  const run = await clientCommands[name as keyof typeof clientCommands].load();
  try {
    process.exitCode = await run();
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  }
} else {
  const { others } = readCommand({
    name: 'cli',
    about: 'Commands for a running hub by its management API, with an access key; see docs/commands.md.',
    others: '<command>',
    more: Object.entries(clientCommands)
      .map(([each, { about }]) => `  ${each.padEnd(22)} ${about}`)
      .join('\n'),
  });
  const [unknown] = others;
  process.stderr.write(`${unknown === undefined ? 'Which command?' : `There is no command ${unknown}.`} Try --help.\n`);
  process.exitCode = 2;
}
