import path from 'node:path';
import { commandLine, confirm, flag, readCommand, text, yes } from '../server/src/process/command-line.ts';
import { MoveError } from '../server/src/move/move-error.ts';
import { moveHub, placeName, takeBack } from '../server/src/move/move-hub.ts';
import { onPresentHub } from './lib/present-hub.ts';
import { printBooks } from './lib/print-books.ts';

const say = (line: string): void => void process.stdout.write(`${line}\n`);
const set = (name: string): string | undefined => process.env[name] || undefined;

const options = readCommand({
  name: 'move',
  about:
    'Moves everything in the database of DATA_DIR or DATABASE_URL to another database; see docs/growing.md. The server may ' +
    'be running until the command asks to stop it. Afterwards the old database refuses to be started.',
  options: {
    to: text('<place>', 'postgres://… for an empty PostgreSQL database, or a data directory for SQLite', undefined),
    'take-back': flag('instead: let the database be used again, although it was moved'),
    'without-books': flag('compare rows and sums only, and leave the check of the books to you'),
    yes,
  },
});
const { to } = options;
if ((to === undefined) === !options['take-back']) {
  process.stderr.write('Either --to <place> or --take-back is needed. Nothing was done.\n');
  process.exit(2);
}
const source = { dataDir: path.resolve(set('DATA_DIR') ?? './data'), databaseUrl: set('DATABASE_URL') };

if (to === undefined) {
  await confirm(
    `Use ${placeName(source)} again? What happened since it was moved is only in the other database, which must not run.`,
    options.yes,
  );
  await onPresentHub('Nothing was changed.', { secret: false, kinds: [MoveError] }, async (storage) => {
    const other = await takeBack(storage);
    say(
      other === undefined ? 'The database was not moved.' : `The database can be used again. It was moved to ${other}.`,
    );
  });
} else {
  const isAddress = /^postgres(?:ql)?:\/\//.test(to) && URL.canParse(to);
  const target = {
    dataDir: isAddress ? source.dataDir : path.resolve(to),
    databaseUrl: isAddress ? to : undefined,
  };
  await confirm(
    `Move ${placeName(source)} to ${placeName(target)}? Calls have to end for the last part of it.`,
    options.yes,
  );
  let told = Date.now();
  let rows = 0;
  await onPresentHub('The move is not complete.', { secret: false, kinds: [MoveError] }, async (storage) => {
    const { books } = await moveHub(storage, source, target, {
      books: !options['without-books'],
      tell: say,
      onPage(table, read) {
        rows += read;
        if (Date.now() - told < 1000) return;
        told = Date.now();
        process.stderr.write(`${table}: ${rows} rows in all\n`);
      },
    });
    if (books) printBooks(books.after);
    else say(`Run \`${commandLine('books')}\` on the new database.`);
    say(
      target.databaseUrl === undefined
        ? `Moved. Start the server with DATA_DIR=${target.dataDir} and without DATABASE_URL.`
        : `Moved. Start the server with DATABASE_URL=${placeName(target)} and the same DATA_DIR.`,
    );
    if (books && !books.after.balanced) process.exitCode = 1;
  });
}
