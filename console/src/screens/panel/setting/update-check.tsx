import { optionApi, type UpdateCheck as Answer } from '@relay-hub/contract';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { RefreshCw } from 'lucide-react';
import { useTranslation } from '#i18n/use-translation.ts';
import { refresh } from '#api/api-query.ts';
import { call } from '#api/call.ts';
import { consoleVersion, useSite } from '#api/site.ts';
import { RichText } from '#content/rich-text.tsx';
import { Button } from '#ui/basic/button.tsx';
import { Note } from '#ui/feedback/note.tsx';
import { Time } from '#ui/format/time.tsx';

/** The running version, and newer ones from the configured source. */
export function UpdateCheck({ dirty }: { dirty: boolean }) {
  const { t } = useTranslation('settingTool');
  const version = useSite()?.product_version ?? consoleVersion;
  const client = useQueryClient();
  const check = useMutation({
    mutationFn: () => call(optionApi.checkUpdate),
    onSuccess: () => refresh(client, optionApi.newerVersion),
    meta: { quiet: true },
  });
  return (
    <div className="border-t border-line px-5 py-3 max-sm:px-4">
      <div className="flex items-center gap-3">
        <div className="min-w-0 flex-1">
          <h3 className="font-normal">{t('running')}</h3>
          <p className="text-13/4.5 text-text2 tabular-nums">{version}</p>
        </div>
        <Button icon={RefreshCw} disabled={dirty} busy={check.isPending} onClick={() => check.mutate()}>
          {t('check')}
        </Button>
      </div>
      {check.error && (
        <div className="mt-3">
          <Note tone="bad" live>
            {t('unreachable', { reason: check.error.message })}
          </Note>
        </div>
      )}
      {check.data && <Answered answer={check.data} />}
    </div>
  );
}

function Answered({ answer: { source, releases, running } }: { answer: Answer }) {
  const { t } = useTranslation('settingTool');
  const count = releases.filter(({ newer }) => newer).length;
  return (
    <div className="mt-3 grid grid-cols-1 gap-3">
      <Note tone={source === '' ? 'warn' : count > 0 ? 'info' : 'ok'} live>
        {source === '' ? t('noSource') : count > 0 ? t('behind', { count }) : t('upToDate')}
      </Note>
      {releases.length > 0 && (
        <div className="overflow-x-auto">
          <table className="w-full text-left text-13">
            <thead className="text-12 text-text2">
              <tr>
                <th className="py-1.5 pr-4 font-title">{t('version')}</th>
                <th className="py-1.5 pr-4 font-title">{t('published')}</th>
                <th className="py-1.5 font-title">{t('notes')}</th>
              </tr>
            </thead>
            <tbody>
              {releases.map((release) => (
                <tr key={release.version} className="border-t border-line align-top">
                  <td className="py-2 pr-4 whitespace-nowrap tabular-nums">
                    {release.address ? (
                      <a
                        href={release.address}
                        target="_blank"
                        rel="noreferrer"
                        className="text-accent hover:underline"
                      >
                        {release.version}
                      </a>
                    ) : (
                      release.version
                    )}
                    {release.newer && <span className="ml-2 text-12 text-accent">{t('isNewer')}</span>}
                    {release.version.replace(/^v/, '') === running && (
                      <span className="ml-2 text-12 text-text3">{t('isRunning')}</span>
                    )}
                  </td>
                  <td className="py-2 pr-4 whitespace-nowrap text-text2">
                    <Time at={Math.floor(Date.parse(release.published_at) / 1000) || 0} as="date" none="–" />
                  </td>
                  <td className="py-2 text-text2">
                    <div className="max-h-32 max-w-150 overflow-y-auto">
                      <RichText text={release.notes} />
                    </div>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </div>
  );
}
