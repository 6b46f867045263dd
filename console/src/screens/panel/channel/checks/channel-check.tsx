import { channelApi, splitList, type Channel } from '@relay-hub/contract';
import { useMutation } from '@tanstack/react-query';
import { Download, ListChecks, Square } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { call } from '#api/call.ts';
import { Button } from '#ui/basic/button.tsx';
import { Checkbox } from '#ui/form/checkbox.tsx';
import { MiddleCut } from '#ui/basic/middle-cut.tsx';
import { Note } from '#ui/feedback/note.tsx';
import { CheckedDetails } from './channel-check-result.tsx';
import { isWildcard } from '#screens/panel/channel/form/channel-models.ts';
import { useChannelCheck } from './use-channel-check.ts';

/** Checks the features of chosen models; results appear below each. */
export function ChannelCheck({ channel, lists }: { channel: Channel; lists: boolean }) {
  const { t } = useTranslation('channelBulk');
  const own = splitList(channel.models).filter((model) => !isWildcard(model));
  const [chosen, setChosen] = useState<ReadonlySet<string>>(() => new Set(own));
  const { check, start, stop } = useChannelCheck(channel.id);
  const { id, type, base_url, other, proxy, plugin, model_headers } = channel;
  const offered = useMutation({
    mutationFn: () =>
      call(channelApi.providerModels, { body: { id, type, key: '', base_url, other, proxy, plugin, model_headers } }),
    meta: { quiet: true },
  });
  const models = [...new Set([...own, ...(offered.data ?? [])])];
  const wanted = models.filter((model) => chosen.has(model));
  const running = check.state === 'running';
  const choose = (names: readonly string[], on: boolean) => {
    const next = new Set(chosen);
    for (const name of names)
      if (on) next.add(name);
      else next.delete(name);
    setChosen(next);
  };
  return (
    <>
      <div className="mb-1 flex flex-wrap items-center gap-2">
        <label className="flex min-h-11 flex-1 cursor-pointer items-center gap-3 text-13 whitespace-nowrap">
          <Checkbox
            checked={wanted.length === models.length}
            indeterminate={wanted.length > 0 && wanted.length < models.length}
            disabled={running}
            onChange={(on) => choose(models, on)}
          />
          {t('check.allModels')}
        </label>
        {lists && (
          <Button
            size="sm"
            icon={Download}
            busy={offered.isPending}
            disabled={running}
            onClick={() => offered.mutate()}
          >
            {t('check.offered')}
          </Button>
        )}
        {running ? (
          <Button size="sm" icon={Square} onClick={stop}>
            {t('check.stop')}
          </Button>
        ) : (
          <Button
            size="sm"
            variant="primary"
            icon={ListChecks}
            disabled={wanted.length === 0}
            onClick={() => void start(wanted)}
          >
            {t('check.start', { count: wanted.length })}
          </Button>
        )}
      </div>
      {(check.error ?? offered.error) && (
        <Note tone="bad" live>
          {check.error ?? offered.error?.message}
        </Note>
      )}
      <p role="status" className="text-13 text-text2 empty:hidden">
        <Progress state={check.state} done={check.results.size} count={check.models.length} />
      </p>
      <ul className="-mx-2 max-h-[min(420px,50dvh)] overflow-y-auto">
        {models.map((model) => {
          const result = check.results.get(model);
          return (
            <li key={model} className="rounded-control px-2">
              <label className="flex min-h-11 cursor-pointer items-center gap-3 text-13">
                <Checkbox checked={chosen.has(model)} disabled={running} onChange={(on) => choose([model], on)} />
                <span className="min-w-0 flex-1">
                  <MiddleCut text={model} />
                </span>
                {running && !result && check.models.includes(model) && (
                  <span className="text-text2">{t('check.waiting')}</span>
                )}
              </label>
              {result && <CheckedDetails checked={result} />}
            </li>
          );
        })}
      </ul>
    </>
  );
}

function Progress({ state, done, count }: { state: string; done: number; count: number }) {
  const { t } = useTranslation('channelBulk');
  if (state === 'running') return t('check.progress', { done, count });
  if (state === 'done') return t('check.ended');
  if (state === 'stopped') return t('check.stopped', { done, count });
  return state === 'broken' ? t('check.broken', { done, count }) : null;
}
