import { userApi, type Envelope } from '@relay-hub/contract';
import type { Translate } from '#i18n/t.ts';
import { call } from '#api/call.ts';
import { nativeForm } from '#api/native-form.ts';
import { saveFile } from '#ui/format/save-file.ts';
import { formatDate } from '#ui/format/time.ts';
import { toast } from '#ui/feedback/toast.ts';
import { countLogs, downloadAddress } from './log-api.ts';
import type { LogFilters } from './log-defaults.ts';

/** Larger exports are left to the browser's own download, which writes to disk as it receives. */
const mostGathered = 100_000;
const lineFeed = 10;

type ExportQuery = LogFilters & { order: string };

/** Saves the found rows as a file, with a progress bar and Cancel that survive leaving the page. */
export async function exportLogs(query: ExportQuery, admin: boolean, t: Translate<'log'>): Promise<void> {
  const address = downloadAddress(query, admin);
  const { total, more } = await countLogs(query, admin);
  if (more || total > mostGathered) return follow(address);
  const controller = new AbortController();
  const cancel = { label: t('cancelExport'), onClick: () => controller.abort() };
  const work = toast.progress(t('exporting'), total, cancel);
  try {
    const pieces = await gather(address, controller.signal, (done) =>
      work.update({ done: Math.min(done, total), total }),
    );
    saveFile(`log ${formatDate(Date.now() / 1000)}.csv`, pieces, 'text/csv');
  } catch (error) {
    if (!controller.signal.aborted) throw error;
  } finally {
    work.end();
  }
}

function follow(address: string): void {
  const link = document.createElement('a');
  link.href = address;
  link.download = '';
  link.click();
}

/** The chunks of the file; reports the number of rows received. */
async function gather(address: string, signal: AbortSignal, onRows: (rows: number) => void): Promise<BlobPart[]> {
  const response = await fetch(address, { signal, headers: nativeForm });
  // Reports the ended session, as every call does, and throws.
  if (response.status === 401) await call(userApi.self);
  if (!response.ok || !response.body) {
    // Refusals under /api are envelopes; a body that is none counts as empty.
    const envelope = (await response.json().catch(() => undefined)) as Envelope<unknown> | undefined;
    const { refusalOf } = await import('#api/failed-call.ts');
    throw await refusalOf(response.status, envelope);
  }
  const pieces: BlobPart[] = [];
  // The first line is the header.
  let rows = -1;
  const reader = response.body.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return pieces;
    pieces.push(value);
    for (const byte of value) if (byte === lineFeed) rows++;
    onRows(Math.max(0, rows));
  }
}
