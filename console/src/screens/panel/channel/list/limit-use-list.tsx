import type { ChannelLimitUse } from '@relay-hub/contract';
import { useTranslation } from '#i18n/use-translation.ts';
import { CapUseBar } from '#domain/token/cap-use-bar.tsx';
import { shareOf } from '#domain/token/limit-words.ts';

/** Limits shown of a channel with many keys. */
const MOST = 12;

/** Limits of a channel with their use, the fullest first; those of a key name it. */
export default function LimitUseList({ uses }: { uses: readonly ChannelLimitUse[] }) {
  const { t } = useTranslation('channel');
  const shown = uses.toSorted((a, b) => shareOf(b) - shareOf(a) || a.key_id - b.key_id).slice(0, MOST);
  return (
    <ul className="grid grid-cols-1 gap-3">
      {shown.map(({ key_id: key, model, ends, ...use }) => (
        <li key={`${key} ${model} ${use.measure} ${use.period}`}>
          <CapUseBar use={{ ...use, left: use.amount - use.used, resets_time: ends }} />
          {key > 0 && (
            <span className="text-12/4 text-text3">
              {t('limitKey', { id: key })}
              {model !== '' && <> · {t('limitLearnt', { model })}</>}
            </span>
          )}
        </li>
      ))}
      {uses.length > MOST && <li className="text-12/4 text-text3">+{uses.length - MOST}</li>}
    </ul>
  );
}
