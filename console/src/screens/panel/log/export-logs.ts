import { userApi, type Envelope } from '@relay-hub/contract';
import type { TFunction } from 'i18next';
import { call } from '#api/call.ts';
import { saveFile } from '#ui/format/save-file.ts';
import { formatDate } from '#ui/format/time.ts';
import { toast } from '#ui/feedback/toast.ts';
import { countLogs, downloadAddress } from './log-api.ts';
import type { LogFilters } from './log-defaults.ts';

/** More rows than these are not gathered by the page: the browser writes them to the disk as they come. */
const mostGathered = 100_000;
const lineFeed = 10;

type Asked = LogFilters & { order: string };

/** Saves the rows that the filters find as a file, under a bar with Cancel that goes on when the page is left. */
export async function exportLogs(asked: Asked, admin: boolean, t: TFunction<'log'>): Promise<void> {
  const address = downloadAddress(asked, admin);
  const { total, more } = await countLogs(asked, admin);
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

/** The pieces of the file; says how many rows have come. */
async function gather(address: string, signal: AbortSignal, onRows: (rows: number) => void): Promise<BlobPart[]> {
  const response = await fetch(address, { signal });
  // Finds the session to be over, as any call does, and is refused.
  if (response.status === 401) await call(userApi.self);
  if (!response.ok || !response.body) {
    const told = (await response.json().catch(() => undefined)) as Envelope<unknown> | undefined; // every refusal under /api is one
    const { refusalOf } = await import('#api/let-in.ts');
    throw await refusalOf(response.status, told);
  }
  const pieces: BlobPart[] = [];
  // The first line has the headings.
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
