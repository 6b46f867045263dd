import type { ChannelLimits } from '@relay-hub/contract';
import { useId } from 'react';
import { useController, type Control } from 'react-hook-form';
import { useTranslation } from '#i18n/use-translation.ts';
import { CapsEditor } from '#domain/token/caps-editor.tsx';
import { capText } from '#domain/token/limit-words.ts';
import { zoneNames } from '#domain/token/zone-names.ts';
import { Field } from '#ui/form/field.tsx';
import { Select } from '#ui/form/select.tsx';
import { Switch } from '#ui/form/switch.tsx';
import { localTimeZone } from '#ui/format/local-time-zone.ts';
import { useSiteFormat } from '#ui/format/site-format.ts';
import { DrawerSection } from '#ui/overlay/drawer-section.tsx';
import type { ChannelBody, ChannelValues } from './channel-values.ts';

/** What the channel and each of its keys may take of the provider. */
export function CapsSection({ control }: { control: Control<ChannelValues, unknown, ChannelBody> }) {
  const { t } = useTranslation(['channelForm', 'token']);
  const money = useSiteFormat();
  const learnId = useId();
  const { field } = useController({ control, name: 'limits' });
  const limits: ChannelLimits = field.value ?? {
    caps: [],
    key_caps: [],
    time_zone: localTimeZone() || 'UTC',
    learn: false,
  };
  const { caps, key_caps: keyCaps, learn, time_zone: zone } = limits;
  const put = (change: Partial<ChannelLimits>) => {
    const next = { ...limits, ...change };
    const isNone = next.caps.length + next.key_caps.length === 0 && !next.learn;
    field.onChange(isNone ? null : next);
  };
  const words = (some: ChannelLimits['caps']) => some.map((cap) => capText(cap, t, money)).join(t('token:comma'));
  const parts = [
    words(caps),
    keyCaps.length > 0 ? t('caps.ofKey', { caps: words(keyCaps) }) : '',
    learn ? t('caps.learns') : '',
  ].filter((part) => part !== '');
  return (
    <DrawerSection
      title={t('caps.title')}
      text={parts.length > 0 ? parts.join(t('token:semicolon')) : t('caps.text')}
      folded
    >
      <div>
        <p className="text-13 font-medium">{t('caps.whole')}</p>
        <p className="mt-0.5 mb-2 text-12 text-text3">{t('caps.wholeHint')}</p>
        <CapsEditor caps={caps} onChange={(next) => put({ caps: next })} onBlur={field.onBlur} />
      </div>
      <div>
        <p className="text-13 font-medium">{t('caps.key')}</p>
        <p className="mt-0.5 mb-2 text-12 text-text3">{t('caps.keyHint')}</p>
        <CapsEditor caps={keyCaps} onChange={(next) => put({ key_caps: next })} onBlur={field.onBlur} />
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
          <Switch id={learnId} checked={learn} onChange={(next) => put({ learn: next })} onBlur={field.onBlur} />
        </div>
        <p className="text-12 text-text3">{t('caps.learnHint')}</p>
      </div>
    </DrawerSection>
  );
}
