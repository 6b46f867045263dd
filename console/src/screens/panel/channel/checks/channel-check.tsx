import {
  type Channel,
  channelApi,
  channelCheckApi,
  channelChecks,
  type CheckedModel,
  checkEvent,
  splitList,
} from '@relay-hub/contract';
import { useMutation } from '@tanstack/react-query';
import { Download, ListChecks, Square } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { call } from '#api/call.ts';
import { Button } from '#ui/basic/button.tsx';
import { Checkbox } from '#ui/form/checkbox.tsx';
import { Note } from '#ui/feedback/note.tsx';
import { isWildcard } from '#screens/panel/channel/form/channel-models.ts';
import { ApiError } from '#api/api-error.ts';
import { callEvents } from '#api/call-events.ts';
import { CheckRow } from './check-row.tsx';
import { passesAll } from './check-verdict.ts';

interface ChannelCheckState {
  state: 'idle' | 'running' | 'done' | 'stopped' | 'broken';
  /** The models being checked, or checked last. */
  models: readonly string[];
  results: ReadonlyMap<string, CheckedModel>;
  error: string | undefined;
}

const idle: ChannelCheckState = { state: 'idle', models: [], results: new Map(), error: undefined };

/** Checks models of a channel and streams the results. Unmounting aborts the check. */
function useChannelCheck(channelId: number) {
  const [check, setCheck] = useState<ChannelCheckState>(idle);
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);

  const start = async (models: readonly string[]): Promise<void> => {
    const leaving = new AbortController();
    running.current = leaving;
    setCheck({ ...idle, state: 'running', models });
    let isDone = false;
    let error: string | undefined;
    try {
      await callEvents(
        channelCheckApi.check,
        { id: channelId, models: models.join(',') },
        leaving.signal,
        (message) => {
          const event = checkEvent.parse(message);
          if (event.type === 'done') isDone = true;
          if (event.type !== 'result') return;
          setCheck((now) => ({ ...now, results: new Map(now.results).set(event.data.model, event.data) }));
        },
      );
    } catch (thrown) {
      if (thrown instanceof ApiError) error = thrown.message;
    }
    const state = isDone ? 'done' : leaving.signal.aborted ? 'stopped' : error === undefined ? 'broken' : 'idle';
    setCheck((now) => ({ ...now, state, error }));
  };
  return { check, start, stop: () => running.current?.abort() };
}

/** Checks the features of chosen models, as a table of models and checks. */
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
      <div className="mb-2 flex flex-wrap items-center gap-2">
        <p role="status" className="min-w-0 flex-1 text-13 text-text2 max-sm:basis-full">
          <Progress check={check} />
        </p>
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
      <div className="max-h-[min(420px,50dvh)] overflow-y-auto">
        <table aria-label={t('check.table')} className="w-full table-fixed border-separate border-spacing-0">
          <colgroup>
            <col />
            {channelChecks.map((name) => (
              <col key={name} className="w-14 max-sm:w-9" />
            ))}
          </colgroup>
          <thead className="text-12 text-text2">
            <tr className="[&>th]:sticky [&>th]:top-0 [&>th]:z-2 [&>th]:h-10 [&>th]:bg-float [&>th]:font-normal">
              <th scope="col" className="text-left">
                <label className="flex cursor-pointer items-center gap-2.5 text-13">
                  <Checkbox
                    checked={wanted.length === models.length}
                    indeterminate={wanted.length > 0 && wanted.length < models.length}
                    disabled={running}
                    onChange={(on) => choose(models, on)}
                  />
                  {t('check.allModels')}
                </label>
              </th>
              {channelChecks.map((name) => (
                <th key={name} scope="col" className="max-sm:text-11">
                  {t(`check.short.${name}`)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {models.map((model) => (
              <CheckRow
                key={model}
                model={model}
                chosen={chosen.has(model)}
                checked={check.results.get(model)}
                waiting={running && !check.results.has(model) && check.models.includes(model)}
                disabled={running}
                onChoose={(on) => choose([model], on)}
              />
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}

/** How far the check is, and after it how many models pass all. */
function Progress({ check: { state, results, models } }: { check: ChannelCheckState }) {
  const { t } = useTranslation('channelBulk');
  const [done, count] = [results.size, models.length];
  if (state === 'idle') return null;
  if (state === 'running') return t('check.progress', { done, count });
  const sum = t('check.sum', { count, passed: [...results.values()].filter(passesAll).length });
  if (state === 'done') return sum;
  return t(state === 'stopped' ? 'check.stopped' : 'check.broken', { done, count });
}
