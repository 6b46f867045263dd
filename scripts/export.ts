import { parseArgs } from 'node:util';
import { ExportError, exportHub } from '../server/src/exports/export-hub.ts';
import { openSecrets } from '../server/src/secrets.ts';
import { checkDataKey } from '../server/src/start/first-start.ts';
import { commandLine } from './lib/command-line.ts';
import { onPresentHub } from './lib/present-hub.ts';

/**
 * `--to <folder>` writes users, tokens, channels, prices, ledger and logs of the database of DATA_DIR or DATABASE_URL into
 * files; see docs/moving.md. The server may be running. Secrets only with `--secrets`, under EXPORT_PASSPHRASE.
 */
const usage = `${commandLine('export')} --to <folder> [--format jsonl|csv] [--secrets]
  --secrets  also keys and password hashes, encrypted with the passphrase in EXPORT_PASSPHRASE (12 characters or more)`;
const failed = 'Nothing was exported.';
const LEAST_PASSPHRASE = 12;

function parsed() {
  try {
    return parseArgs({
      options: {
        to: { type: 'string', default: '' },
        format: { type: 'string', default: 'jsonl' },
        secrets: { type: 'boolean', default: false },
      },
    }).values;
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`);
    return undefined;
  }
}

const options = parsed();
const format = options?.format;
const passphrase = process.env['EXPORT_PASSPHRASE'] ?? '';
if (!options || options.to === '' || (format !== 'jsonl' && format !== 'csv')) {
  process.stderr.write(`${failed}\n${usage}\n`);
  process.exitCode = 1;
} else if (options.secrets && passphrase.length < LEAST_PASSPHRASE) {
  process.stderr.write(`${failed}\nSet EXPORT_PASSPHRASE to ${LEAST_PASSPHRASE} characters or more.\n`);
  process.exitCode = 1;
} else
  await onPresentHub(failed, { secret: options.secrets, kinds: [ExportError] }, async (storage, config) => {
    const secrets = openSecrets(config.secretKey);
    if (options.secrets) await checkDataKey(storage.db, secrets);
    await exportHub(storage, secrets, {
      folder: options.to,
      format,
      passphrase: options.secrets ? passphrase : undefined,
      progress: (file, rows) => void process.stderr.write(`${file}: ${rows}\n`),
    });
    process.stdout.write(`Exported to ${options.to}.\n`);
  });
