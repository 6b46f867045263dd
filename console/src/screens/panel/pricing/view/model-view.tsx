import {
  callPriceText,
  channelApi,
  channelStatus,
  priceText,
  splitList,
  type ActivityDays,
  type Price,
} from '@relay-hub/contract';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { apiQuery } from '#api/api-query.ts';
import { useNamedGroup } from '#api/user-groups.ts';
import { ActivityBody } from '#domain/activity/activity-body.tsx';
import { ObjectDrawer } from '#domain/activity/object-drawer.tsx';
import { ViewFooter } from '#domain/activity/view-footer.tsx';
import { RuleList } from '#domain/price-rules/rule-summary.tsx';
import { OwnerTile } from '#domain/model/owner-tile.tsx';
import { Note } from '#ui/feedback/note.tsx';
import { Skeleton } from '#ui/feedback/skeleton.tsx';
import { Status } from '#ui/feedback/status.tsx';
import { formatPlain } from '#ui/format/number.ts';
import { DetailSection } from '#ui/overlay/detail-section.tsx';
import { useOwnerOf } from '#screens/panel/pricing/price-cells.tsx';
import { allGroups } from '#screens/panel/pricing/pricing-api.ts';
import { unitText, type PriceUnit } from '#screens/panel/pricing/pricing-search.ts';

interface Props {
  model: string;
  /** The rows of the list. */
  rows: readonly Price[];
  /** All prices in force. */
  prices: readonly Price[];
  unit: PriceUnit;
  onGo: (model: string) => void;
  /** With the name of a model without a price: `new:` and the name. */
  onEdit: (edit: string) => void;
  onClose: () => void;
}

const keyOf = ({ model }: { model: string }) => model;

/** The read view of a model: usage by channel, who serves it, and its price for each group. */
export function ModelView({ model, rows, prices, unit, onGo, onEdit, onClose }: Props) {
  const { t } = useTranslation('activity');
  const [days, setDays] = useState<ActivityDays>('1');
  const ownerOf = useOwnerOf();
  const price = priceOf(model, prices);
  const owner = price && ownerOf(price.channel_type);
  const shown: { model: string } = { model };
  return (
    <ObjectDrawer
      id={model}
      rows={rows}
      keyOf={keyOf}
      onGo={(next) => onGo(String(next))}
      record={shown}
      error={null}
      busy={false}
      onRetry={() => undefined}
      placeholder={model}
      titleOf={keyOf}
      tile={() => <OwnerTile name={owner?.tile ?? owner?.name ?? model} icon={owner?.icon} size={32} />}
      subtitle={() => owner?.name ?? t('noPrice')}
      footer={() => (
        <ViewFooter
          log={{ model_name: model }}
          onEdit={() => onEdit(price?.model === model ? model : `new:${model}`)}
        />
      )}
      onClose={onClose}
    >
      {() => (
        <ActivityBody
          subject={{ of: 'model', model }}
          days={days}
          onDays={setDays}
          log={{ model_name: model }}
          setup={<Servers model={model} />}
        >
          <GroupPrices price={price} unit={unit} />
        </ActivityBody>
      )}
    </ObjectDrawer>
  );
}

/** The price of a model itself, or the longest pattern that covers it. */
function priceOf(model: string, prices: readonly Price[]): Price | undefined {
  const covers = (price: Price) => price.model.endsWith('*') && model.startsWith(price.model.slice(0, -1));
  return (
    prices.find((price) => price.model === model) ??
    prices.filter(covers).toSorted((a, b) => b.model.length - a.model.length)[0]
  );
}

/** Whether a list of models such as `gpt-4*,o3` serves a model. */
const serves = (models: string, model: string): boolean =>
  splitList(models).some((name) => name === model || (name.endsWith('*') && model.startsWith(name.slice(0, -1))));

const mostChannels = 100;

/** The channels that list the model, the first to be tried on top. */
function Servers({ model }: { model: string }) {
  const { t } = useTranslation('activity');
  const { data, error } = useQuery({
    ...apiQuery(channelApi.list, { query: { size: mostChannels, order: '-priority' } }),
    staleTime: 60_000,
    meta: { quiet: true },
  });
  const channels = data?.data.filter(({ models }) => serves(models, model));
  return (
    <DetailSection title={t('servedBy')} aside={channels && channels.length > 0 && channels.length}>
      {error && !data && <Note tone="bad">{error.message}</Note>}
      {!data && !error && <Skeleton width="100%" />}
      {channels?.length === 0 && <p className="text-13 text-text2">{t('noServers')}</p>}
      <ul className="grid max-h-60 grid-cols-1 gap-2 overflow-y-auto text-13">
        {channels?.map(({ id, name, status }) => (
          <li key={id} className="flex items-center justify-between gap-3">
            <Link
              className="touch min-w-0 truncate text-accent hover:underline"
              to="/panel/channel"
              search={{ show: id }}
            >
              {name}
            </Link>
            {status !== channelStatus.enabled && <Status kind="disabled" />}
          </li>
        ))}
      </ul>
    </DetailSection>
  );
}

function GroupPrices({ price, unit }: { price: Price | undefined; unit: PriceUnit }) {
  const { t } = useTranslation('activity');
  const groups = (useQuery(allGroups).data?.data ?? []).map(useNamedGroup());
  if (!price) return null;
  const times = price.type === 'times';
  const textOf = (ratio: number, group: number) =>
    (times ? callPriceText([ratio, group], unit.currency) : priceText([ratio, group], unit)) ?? t('free');
  const head = 'h-8 border-b border-line bg-sunk px-3 text-right text-12 font-normal text-text2 first:text-left';
  const cell = 'h-9 border-b border-line px-3 text-right tabular-nums';
  return (
    <DetailSection title={t('pricePerGroup')} aside={!times && unitText(unit)}>
      <div className="overflow-hidden rounded-card border border-line">
        <table className="w-full border-separate border-spacing-0 text-13 [&_tr:last-child>*]:border-b-0">
          <thead>
            <tr>
              <th scope="col" className={head}>
                {t('group')}
              </th>
              <th scope="col" className={head}>
                {t(times ? 'perCall' : 'input')}
              </th>
              {!times && (
                <th scope="col" className={head}>
                  {t('output')}
                </th>
              )}
            </tr>
          </thead>
          <tbody>
            {groups.map(({ id, name, ratio }) => (
              <tr key={id}>
                <th scope="row" className={`${cell} text-left! font-normal`}>
                  {name} <span className="text-text2">× {formatPlain(ratio)}</span>
                </th>
                <td className={cell}>{textOf(price.input, ratio)}</td>
                {!times && <td className={cell}>{textOf(price.output, ratio)}</td>}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <RuleList terms={price} groupRatio={1} unit={unit} className="mt-2 text-12 text-text2" />
    </DetailSection>
  );
}
