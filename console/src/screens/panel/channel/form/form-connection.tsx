import type { Channel, ChannelType } from '@relay-hub/contract';
import { useTranslation } from '#i18n/use-translation.ts';
import type { Control, UseFormReturn } from 'react-hook-form';
import { DrawerSection, FieldRow } from '#ui/overlay/drawer-section.tsx';
import { FormSelect } from '#ui/form/form-select.tsx';
import { FormText } from '#ui/form/form-text.tsx';
import { Mark } from '#ui/basic/mark.tsx';
import type { ChannelBody, ChannelValues } from './channel-values.ts';
import { KeyField } from './key-field.tsx';

interface Props {
  form: UseFormReturn<ChannelValues, unknown, ChannelBody>;
  types: readonly ChannelType[];
  type: ChannelType | undefined;
  channel: Channel | undefined;
  copied: Channel | undefined;
  several: boolean;
  onSeveral: (several: boolean) => void;
}

export function ConnectionSection({ form: { control }, types, type, channel, copied, several, onSeveral }: Props) {
  const { t } = useTranslation(['channelForm', 'channel']);
  // A type that nothing serves is offered only to the channel that has it already.
  const offered = types.filter(({ type: value, supported }) => supported || value === channel?.type);
  const options = offered.map(({ type: value, title, mark, supported, address }) => ({
    value,
    label: title,
    tile: <Mark name={title} mark={mark} size={20} />,
    note: supported ? (address === 'required' ? t('form.needsAddress') : undefined) : t('form.unsupported'),
    disabled: !supported,
  }));
  return (
    <DrawerSection title={t('form.connection')} text={t('form.connectionText')}>
      <FieldRow>
        <FormSelect control={control} name="type" label={t('channel:type')} options={options} searchable />
        <FormText control={control} name="name" label={t('form.name')} maxLength={100} />
      </FieldRow>
      <FieldRow>
        <KeyField
          key={channel?.key_hint}
          control={control}
          type={type}
          channel={channel}
          copied={copied}
          several={several}
          onSeveral={onSeveral}
        />
        {type?.address !== 'none' && <AddressField control={control} type={type} />}
      </FieldRow>
      {type?.other && <OtherField control={control} other={type.other} />}
    </DrawerSection>
  );
}

type Controlled = Control<ChannelValues, unknown, ChannelBody>;

function AddressField({ control, type }: { control: Controlled; type: ChannelType | undefined }) {
  const { t } = useTranslation('channelForm');
  const own = type?.address === 'optional';
  const example = type?.address_example || 'https://api.example.com';
  return (
    <FormText
      control={control}
      name="base_url"
      type="url"
      label={t('form.address')}
      optional={own}
      placeholder={type?.base_url || example}
      hint={own ? undefined : t('form.addressHint', { example })}
    />
  );
}

/** The extra parameter of the type: an API version, a region. */
export function OtherField({ control, other }: { control: Controlled; other: NonNullable<ChannelType['other']> }) {
  const { t } = useTranslation('channelForm');
  const { kind, fallback, required, example } = other;
  const hints = [
    fallback === '' ? '' : t('form.otherDefault', { value: fallback }),
    example === '' ? '' : t('form.otherHint', { example }),
  ];
  return (
    <FormText
      control={control}
      name="other"
      label={t(`form.other.${kind}`)}
      optional={!required}
      placeholder={fallback || example}
      hint={hints.filter(Boolean).join(' · ') || undefined}
      maxLength={500}
    />
  );
}
