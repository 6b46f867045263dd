import { parseArgs } from 'node:util';
import { ImportError, runImport } from '../server/src/imports/run-import.ts';
import { OldDatabaseError } from '../server/src/imports/sources/old-database.ts';
import { openSource } from '../server/src/imports/sources/open-source.ts';
import { openSecrets } from '../server/src/secrets.ts';
import { checkDataKey } from '../server/src/start/first-start.ts';
import { commandLine } from './lib/command-line.ts';
import { onPresentHub } from './lib/present-hub.ts';

/**
 * `--from <file | mysql://… | postgres://…>` takes over a database of one-hub, done-hub, one-api or new-api into that of
 * DATA_DIR or DATABASE_URL; see docs/moving.md. Without `--apply` it only reports. The server may be running.
 */
const usage = `${commandLine('import')} --from <SQLite file | mysql://… | postgres://…> [--apply] [--final] [--logs]
  --apply          write; without it the import only reports what would happen
  --final          with --apply: the last run, after which imported users may make calls here
  --logs           also the calls of the old log, so that statistics show them
  --name <name>    name of the old installation, to import several; default: the name of its program
  --access-tokens  also access tokens of users who never asked for one (one-hub, done-hub, one-api)
  --json           print the report as JSON`;

const failed = 'Nothing was imported.';
const say = (line: string): void => void process.stdout.write(`${line}\n`);

function parsed() {
  try {
    return parseArgs({
      options: {
        from: { type: 'string', default: '' },
        name: { type: 'string', default: '' },
        apply: { type: 'boolean', default: false },
        final: { type: 'boolean', default: false },
        logs: { type: 'boolean', default: false },
        'access-tokens': { type: 'boolean', default: false },
        json: { type: 'boolean', default: false },
      },
    }).values;
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`);
    return undefined;
  }
}

const options = parsed();
if (!options || options.from === '' || (options.final && !options.apply)) {
  process.stderr.write(`${failed}\n${usage}\n`);
  process.exitCode = 1;
} else
  await onPresentHub(failed, { secret: true, kinds: [OldDatabaseError, ImportError] }, async ({ db }, config) => {
    const secrets = openSecrets(config.secretKey);
    await checkDataKey(db, secrets);
    const database = await openSource(options.from);
    let told = 0;
    try {
      const { report, program, source } = await runImport(
        database,
        { db, secrets, now: Math.floor(Date.now() / 1000), basePath: config.basePath },
        {
          source: options.name,
          apply: options.apply,
          final: options.final,
          accessTokens: options['access-tokens'],
          logs: options.logs,
          progress: (kind, done) => {
            if (Date.now() - told < 1000) return;
            told = Date.now();
            process.stderr.write(`${kind}: ${done}\n`);
          },
        },
      );
      if (options.json) {
        const remarks = Object.fromEntries(report.remarks);
        say(
          JSON.stringify({
            program,
            source,
            applied: options.apply,
            counts: Object.fromEntries(report.counts),
            remarks,
          }),
        );
        return;
      }
      say(`${program}${source === program ? '' : `, named ${source}`}`);
      for (const line of report.lines()) say(line);
      say('');
      if (!options.apply) say('Nothing was written. Add --apply to import.');
      else if (options.final) say('Imported. Imported users may make calls here now.');
      else say('Imported. Imported users wait for the last run: --apply --final.');
    } finally {
      await database.close();
    }
  });
