import { splitList } from '@relay-hub/contract';
import { useQuery } from '@tanstack/react-query';
import { Waypoints } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { modelNames } from '#api/model-names.ts';
import { useTranslation } from '#i18n/use-translation.ts';
import { DetailDrawer } from '#ui/overlay/detail-drawer.tsx';
import { EmptyState } from '#ui/feedback/empty-state.tsx';
import { ErrorState } from '#ui/feedback/error-state.tsx';
import { SearchField } from '#ui/table/search-field.tsx';
import { Select } from '#ui/form/select.tsx';
import { Skeleton } from '#ui/feedback/skeleton.tsx';
import { Switch } from '#ui/form/switch.tsx';
import {
  callApis,
  callNeeds,
  groupSymbols,
  type CallNeed,
  type ChannelSearch,
} from '#screens/panel/channel/channel-api.ts';
import { routeOf } from '#screens/panel/channel/channel-more-api.ts';
import { RouteCandidates } from './route-candidates.tsx';

const RouteSteps = lazy(async () => ({ default: (await import('./route-steps.tsx')).RouteSteps }));

interface Props {
  search: ChannelSearch;
  onSearch: (change: Partial<ChannelSearch>) => void;
  onEdit: (id: number) => void;
  onClose: () => void;
}

/** Explains which channel a call would use now, and why not the others. */
export function RouteDrawer({ search, onSearch, onEdit, onClose }: Props) {
  const { t } = useTranslation('channelRoute');
  const [sample, setSample] = useState('');
  const [step, setStep] = useState(0);
  const { data, error, isFetching, refetch } = useQuery(routeOf(search, sample, step));
  const model = search.why_model;
  const found = error || model === '' ? undefined : data;
  return (
    <DetailDrawer title={t('title')} subtitle={t('text')} onClose={onClose}>
      <CallFields {...{ search, onSearch }} />
      {model !== '' && <Sample {...{ search, onSearch }} onSample={setSample} />}
      {model === '' && <EmptyState icon={Waypoints} title={t('pickTitle')} text={t('pickText')} />}
      {error && <ErrorState text={error.message} busy={isFetching} onRetry={() => void refetch()} />}
      {model !== '' && !error && !data && <Skeleton width="100%" />}
      {found?.virtual && (
        <Suspense>
          <RouteSteps virtual={found.virtual} onStep={setStep} />
        </Suspense>
      )}
      {found?.candidates.length === 0 && (
        <EmptyState icon={Waypoints} title={t('noneTitle')} text={t('noneText', { model: found.model })} />
      )}
      {found && found.candidates.length > 0 && <RouteCandidates route={found} model={found.model} onEdit={onEdit} />}
    </DetailDrawer>
  );
}

/** The conversation of a client, which may be kept at a channel. */
function SessionFields({ search, onSearch }: Pick<Props, 'search' | 'onSearch'>) {
  const { t } = useTranslation('channelRoute');
  const token = search.why_token === 0 ? '' : String(search.why_token);
  return (
    <div className="grid grid-cols-1 gap-1">
      <div className="grid grid-cols-[1fr_12rem] gap-3 max-sm:grid-cols-1">
        <SearchField
          value={search.why_session}
          placeholder={t('session')}
          onChange={(why_session) => onSearch({ why_session })}
        />
        <SearchField
          value={token}
          placeholder={t('tokenId')}
          onChange={(text) => onSearch({ why_token: /^\d{1,15}$/.test(text) ? Number(text) : 0 })}
        />
      </div>
      <p className="text-12 text-text3">{t('sessionHint')}</p>
    </div>
  );
}

/** The request that the rules of channels are shown with. */
function Sample({
  search,
  onSearch,
  onSample,
}: Pick<Props, 'search' | 'onSearch'> & { onSample: (text: string) => void }) {
  const { t } = useTranslation('channelRoute');
  return (
    <details className="pb-4">
      <summary className="w-fit cursor-pointer text-13 text-text2">{t('sample')}</summary>
      <div className="mt-2.5 grid grid-cols-1 gap-2">
        <Select
          aria={{ 'aria-label': t('api') }}
          value={search.why_api}
          options={['', ...callApis].map((api) => ({ value: api, label: apiNames[api] ?? api }))}
          onChange={(why_api) => onSearch({ why_api })}
          className="h-8.5 min-h-0 w-52 text-13 max-sm:h-10"
        />
        <textarea
          aria-label={t('sample')}
          rows={6}
          spellCheck={false}
          placeholder={t('samplePlaceholder')}
          onBlur={(event) => onSample(event.target.value)}
          className="box block resize-y py-2 font-mono text-13/5"
        />
        <p className="text-12 text-text3">{t('sampleHint')}</p>
      </div>
    </details>
  );
}

/** Names of vendors' APIs, the same in every language. */
const apiNames: Record<string, string> = {
  '': 'Chat Completions',
  responses: 'Responses',
  messages: 'Messages (Anthropic)',
  gemini: 'generateContent (Gemini)',
};

function CallFields({ search, onSearch }: Pick<Props, 'search' | 'onSearch'>) {
  const { t } = useTranslation('channelRoute');
  const { data: names = [] } = useQuery(modelNames);
  const { data: groups = [] } = useQuery(groupSymbols);
  const models = names.filter((name) => !name.endsWith('*'));
  const needs = splitList(search.why_needs);
  const need = (name: CallNeed, on: boolean) =>
    onSearch({ why_needs: callNeeds.filter((each) => (each === name ? on : needs.includes(each))).join(',') });
  return (
    <div className="grid grid-cols-1 gap-3 pb-4">
      <div className="grid grid-cols-[1fr_12rem] gap-3 max-sm:grid-cols-1">
        <SearchField
          value={search.why_model}
          placeholder={t('model')}
          suggestions={models}
          onChange={(why_model) => onSearch({ why_model })}
        />
        <Select
          aria={{ 'aria-label': t('group') }}
          value={search.why_group || 'default'}
          options={groups.map((symbol) => ({ value: symbol, label: symbol }))}
          onChange={(symbol) => onSearch({ why_group: symbol === 'default' ? '' : symbol })}
          className="h-8.5 min-h-0 text-13 max-sm:h-10"
        />
      </div>
      <SessionFields {...{ search, onSearch }} />
      <div role="group" aria-label={t('needs')} className="flex flex-wrap items-center gap-x-5 gap-y-2 text-13">
        <span className="text-text2">{t('needs')}</span>
        {callNeeds.map((name) => (
          <label key={name} className="inline-flex items-center gap-2 max-sm:min-h-10">
            <Switch checked={needs.includes(name)} onChange={(on) => need(name, on)} />
            {t(name)}
          </label>
        ))}
        <span className="w-44">
          <SearchField
            value={search.why_tokens === 0 ? '' : String(search.why_tokens)}
            placeholder={t('promptTokens')}
            onChange={(text) => onSearch({ why_tokens: /^\d{1,8}$/.test(text) ? Number(text) : 0 })}
          />
        </span>
      </div>
    </div>
  );
}
