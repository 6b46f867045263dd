import { logApi, logArchiveApi, type LogArchive } from '@relay-hub/contract';
import { useQuery } from '@tanstack/react-query';
import { Download } from 'lucide-react';
import { useTranslation } from '#i18n/use-translation.ts';
import { apiQuery } from '#api/api-query.ts';
import { addressOf } from '#api/call.ts';
import { atBase } from '#base-path.ts';
import { csvAddress } from '#list/csv-address.ts';
import { Button } from '#ui/basic/button.tsx';
import { moneyInFull } from '#ui/format/money.ts';
import { formatPlain, formatWhole } from '#ui/format/number.ts';
import { useSiteFormat } from '#ui/format/site-format.ts';

/** Months of the log that are only in files, if there are any. */
export function LogArchives() {
  const { t } = useTranslation('settingTool');
  const { data } = useQuery({ ...apiQuery(logArchiveApi.list), staleTime: 0 });
  if (!data || data.archives.length === 0) return null;
  return (
    <div className="border-t border-line px-5 py-3 max-sm:px-4">
      <h3 className="font-normal">{t('archive.title')}</h3>
      <p className="text-13/4.5 break-words text-text2">{t('archive.text', { folder: data.folder })}</p>
      <ul
        aria-label={t('archive.title')}
        className="-mx-5 mt-3 -mb-3 max-h-100 overflow-y-auto border-t border-line max-sm:-mx-4"
      >
        {data.archives.map((archive) => (
          <ArchiveRow key={archive.id} archive={archive} />
        ))}
      </ul>
    </div>
  );
}

function ArchiveRow({ archive }: { archive: LogArchive }) {
  const { t } = useTranslation('settingTool');
  const site = useSiteFormat();
  const { id, month, part, from_time: from, until_time: until, rows, credits, bytes, here, host } = archive;
  const name = new Date(month * 1000).toISOString().slice(0, 7);
  const calls = { archived: 1, log_type: 2, start_timestamp: from, end_timestamp: until - 1 };
  return (
    <li className="flex min-h-12 items-center gap-x-4 border-b border-line px-5 py-2 text-13 last:border-b-0 max-sm:px-4">
      <div className="flex min-w-0 flex-1 flex-wrap items-center gap-x-4 gap-y-0.5 tabular-nums">
        <span className="w-28">{part === 1 ? name : t('archive.part', { month: name, part })}</span>
        <span>{t('archive.calls', { calls: formatWhole(rows) })}</span>
        <span className="text-text2">{moneyInFull(credits, site).dollars}</span>
        <span className="text-text2">{t('backup.size', { size: formatPlain(bytes / 2 ** 20, 1) })}</span>
        {!here && <span className="text-text3">{t('archive.elsewhere', { host })}</span>}
      </div>
      {here && (
        <div className="flex shrink-0 gap-1 max-sm:flex-col">
          <Button
            size="sm"
            variant="ghost"
            icon={Download}
            render={<a href={atBase(addressOf(logArchiveApi.download.path, { id }, undefined))} download />}
          >
            Parquet
          </Button>
          <Button
            size="sm"
            variant="ghost"
            icon={Download}
            render={<a href={csvAddress(logApi.download.path, calls)} download />}
          >
            CSV
          </Button>
        </div>
      )}
    </li>
  );
}
