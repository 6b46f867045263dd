import { languageCodes, type Option } from '@relay-hub/contract';
import { lazy, Suspense, type ReactNode } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { ChipsBox } from '#ui/form/chips-box.tsx';
import { cx } from '#ui/basic/cx.ts';
import type { FieldAria } from '#ui/form/field.tsx';
import { formatMoney } from '#ui/format/money.ts';
import { OwnerTile } from '#domain/model/owner-tile.tsx';
import { Select } from '#ui/form/select.tsx';
import { useSiteFormat } from '#ui/format/site-format.ts';
import { Switch } from '#ui/form/switch.tsx';
import { languages } from '#i18n/languages.ts';
import type { SettingField } from './setting-groups.ts';

const TextEditor = lazy(async () => ({ default: (await import('./text-editor.tsx')).TextEditor }));
const DiscountEditor = lazy(async () => ({ default: (await import('./discount-editor.tsx')).DiscountEditor }));
const TeamGroupEditor = lazy(async () => ({
  default: (await import('./team-group-editor.tsx')).TeamGroupEditor,
}));
const ChatEditor = lazy(async () => ({ default: (await import('./chat-editor.tsx')).ChatEditor }));

const PictureUpload = lazy(async () => ({ default: (await import('./picture-upload.tsx')).PictureUpload }));

export interface ControlProps {
  field: SettingField;
  option: Option;
  /** The control's current text. */
  text: string;
  aria: FieldAria;
  onChange: (text: string) => void;
}

const line = 'box max-sm:w-full';

/** The form control for a kind of setting. */
export function SettingControl(props: ControlProps): ReactNode {
  const { field, option, text, aria, onChange } = props;
  const { t } = useTranslation(['setting', 'settingNames']);
  switch (field.kind) {
    case 'switch':
      return (
        <Switch
          {...aria}
          disabled={field.fixed}
          checked={text === 'true'}
          onChange={(checked) => onChange(String(checked))}
        />
      );
    case 'number':
    case 'credits':
      return <NumberLine {...props} />;
    case 'secret':
      return (
        <input
          {...aria}
          type="password"
          autoComplete="new-password"
          className={cx(line, 'w-75')}
          placeholder={t(option.is_set ? 'secretSet' : 'secretUnset')}
          value={text}
          onChange={(event) => onChange(event.target.value)}
        />
      );
    case 'language':
      return (
        <Select
          aria={aria}
          className="w-75 max-sm:w-full"
          value={languageCodes.find((code) => code === text) ?? null}
          onChange={onChange}
          options={languages.map(({ code, name }) => ({ value: code, label: name }))}
        />
      );
    case 'choice': {
      const { choices = [] } = field;
      return (
        <Select
          aria={aria}
          className="w-75 max-sm:w-full"
          value={choices.find((choice) => choice === text) ?? null}
          onChange={onChange}
          options={choices.map((choice) => ({ value: choice, label: t(`choices.${choice}`) }))}
        />
      );
    }
    case 'domains':
    case 'networks':
      return (
        <ChipsBox
          aria={aria}
          values={text.split(',').filter((part) => part.trim() !== '')}
          onChange={(values) => onChange(values.join(','))}
        />
      );
    case 'chat':
      return (
        <Suspense fallback={<div className="h-40" />}>
          <ChatEditor text={text} aria={aria} onChange={onChange} />
        </Suspense>
      );
    case 'discounts':
      return (
        <Suspense fallback={<div className="h-40" />}>
          <DiscountEditor text={text} aria={aria} onChange={onChange} />
        </Suspense>
      );
    case 'teamGroups':
      return (
        <Suspense fallback={<div className="h-40" />}>
          <TeamGroupEditor text={text} aria={aria} onChange={onChange} />
        </Suspense>
      );
    case 'text':
      return <Line {...props} />;
    case 'picture':
      return (
        <span className="flex w-75 items-center gap-2 max-sm:w-full">
          {text !== '' && <OwnerTile name={t(`settingNames:${field.key}`)} icon={text} size={32} unsaved />}
          <Line {...props} />
          <Suspense fallback={<span className="w-9" />}>
            <PictureUpload name={t(`settingNames:${field.key}`)} onUploaded={onChange} />
          </Suspense>
        </span>
      );
    default:
      return (
        <Suspense fallback={<div className="h-40" />}>
          <TextEditor {...props} />
        </Suspense>
      );
  }
}

function Line({ field, text, aria, onChange }: ControlProps) {
  return (
    <input
      {...aria}
      type="text"
      autoComplete="off"
      spellCheck={false}
      className={cx(line, 'w-75 min-w-0')}
      placeholder={field.placeholder}
      value={text}
      onChange={(event) => onChange(event.target.value)}
    />
  );
}

function NumberLine({ field, text, aria, onChange }: ControlProps) {
  const { t } = useTranslation(['setting', 'settingNames']);
  const format = useSiteFormat();
  const unit = t(`units.${field.unit ?? 'credits'}`);
  const money = field.kind === 'credits' && /^\d{1,15}$/.test(text) && Number(text) > 0;
  return (
    <div className="flex items-center gap-2 max-sm:w-full">
      {money && (
        <span className="text-12 text-text3 tabular-nums">
          {t('about', { amount: formatMoney(Number(text), { ...format, inCurrency: true }) })}
        </span>
      )}
      <div
        className="box flex w-41 items-center gap-1.5 max-sm:w-auto max-sm:flex-1"
        {...(aria['aria-invalid'] && { 'data-invalid': true })}
      >
        <input
          {...aria}
          type="text"
          inputMode={field.decimal ? 'decimal' : 'numeric'}
          autoComplete="off"
          className="h-[34px] w-full min-w-0 flex-1 bg-transparent text-right tabular-nums outline-none max-sm:h-[42px] max-sm:text-left"
          value={text}
          onChange={(event) => onChange(event.target.value.trim())}
        />
        {unit !== '' && <span className="flex-none text-13 text-text3">{unit}</span>}
      </div>
    </div>
  );
}
