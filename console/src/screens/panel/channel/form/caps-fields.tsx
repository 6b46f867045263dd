import type { ChannelLimits } from '@relay-hub/contract';
import { useId } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { CapsEditor } from '#domain/token/caps-editor.tsx';
import { capText } from '#domain/token/limit-words.ts';
import { zoneNames } from '#domain/token/zone-names.ts';
import { Field } from '#ui/form/field.tsx';
import { Select } from '#ui/form/select.tsx';
import { Switch } from '#ui/form/switch.tsx';
import { localTimeZone } from '#ui/format/local-time-zone.ts';
import { useSiteFormat } from '#ui/format/site-format.ts';

/** Limits in words; empty: there are none. */
export function useLimitWords(): (limits: ChannelLimits | null) => string {
  const { t } = useTranslation(['channelForm', 'token']);
  const money = useSiteFormat();
  const words = (caps: ChannelLimits['caps']) => caps.map((cap) => capText(cap, t, money)).join(t('token:comma'));
  return (limits) => {
    if (!limits) return '';
    const { caps, key_caps: keyCaps, learn } = limits;
    const ofKey = keyCaps.length > 0 ? t('caps.ofKey', { caps: words(keyCaps) }) : '';
    return [words(caps), ofKey, learn ? t('caps.learns') : ''].filter((part) => part !== '').join(t('token:semicolon'));
  };
}

interface Props {
  /** Null: none. */
  limits: ChannelLimits | null;
  onChange: (limits: ChannelLimits | null) => void;
  onBlur: () => void;
}

/** Limits of a channel and each of its keys at the provider. */
export function CapsFields({ limits: given, onChange, onBlur }: Props) {
  const { t } = useTranslation(['channelForm', 'token']);
  const learnId = useId();
  const limits = given ?? { caps: [], key_caps: [], time_zone: localTimeZone() || 'UTC', learn: false };
  const { caps, key_caps: keyCaps, learn, time_zone: zone } = limits;
  const put = (change: Partial<ChannelLimits>) => {
    const next = { ...limits, ...change };
    onChange(next.caps.length + next.key_caps.length === 0 && !next.learn ? null : next);
  };
  return (
    <>
      <div>
        <p className="text-13 font-medium">{t('caps.whole')}</p>
        <p className="mt-0.5 mb-2 text-12 text-text3">{t('caps.wholeHint')}</p>
        <CapsEditor caps={caps} onChange={(next) => put({ caps: next })} onBlur={onBlur} />
      </div>
      <div>
        <p className="text-13 font-medium">{t('caps.key')}</p>
        <p className="mt-0.5 mb-2 text-12 text-text3">{t('caps.keyHint')}</p>
        <CapsEditor caps={keyCaps} onChange={(next) => put({ key_caps: next })} onBlur={onBlur} />
      </div>
      {caps.length + keyCaps.length > 0 && (
        <Field label={t('caps.zone')}>
          {(aria) => (
            <Select
              aria={aria}
              searchable
              value={zone}
              options={zoneNames(zone).map((value) => ({ value, label: value }))}
              onChange={(time_zone) => put({ time_zone })}
            />
          )}
        </Field>
      )}
      <div>
        <div className="flex min-h-9 items-center gap-4 max-sm:min-h-11">
          <label htmlFor={learnId} className="min-w-0 flex-1">
            {t('caps.learn')}
          </label>
          <Switch id={learnId} checked={learn} onChange={(next) => put({ learn: next })} onBlur={onBlur} />
        </div>
        <p className="text-12 text-text3">{t('caps.learnHint')}</p>
      </div>
    </>
  );
}
