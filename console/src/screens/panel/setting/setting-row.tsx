import type { Option } from '@relay-hub/contract';
import { RotateCcw, Trash2 } from 'lucide-react';
import { useId } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { IconButton } from '#ui/basic/button.tsx';
import { cx } from '#ui/basic/cx.ts';
import { FieldBelow } from '#ui/form/field.tsx';
import { SettingControl } from './setting-control.tsx';
import { isWide, type SettingField } from './setting-groups.ts';
import { useShownValue } from './use-shown-value.ts';

interface Props {
  field: SettingField;
  option: Option;
  /** The unsaved value; null: back to the default. */
  draft: string | null | undefined;
  problem: string | undefined;
  onChange: (text: string | null) => void;
}

export function SettingRow({ field, option, draft, problem, onChange }: Props) {
  const { t } = useTranslation(['setting', 'settingNames']);
  const shown = useShownValue();
  const id = useId();
  const below = `${id}-below`;
  const name = t(`settingNames:${field.key}`);
  const wide = isWide(field);
  const text = draft === null ? option.default_value : (draft ?? option.value);
  const drafted = draft !== undefined;
  return (
    <div
      id={`setting-${field.key}`}
      className={cx(
        'group/row scroll-mt-24 gap-x-6 gap-y-2.5 border-t border-line px-5 py-2.5 first:border-t-0 max-sm:px-4',
        wide ? 'grid grid-cols-1' : 'flex items-center max-sm:flex-wrap',
      )}
    >
      <div className="relative min-w-0 flex-1">
        <div className="flex min-h-5 flex-wrap items-center gap-x-2">
          {drafted && (
            <span aria-hidden className="absolute top-[7px] -left-3.25 size-1.5 rounded-full bg-accent-fill" />
          )}
          <label htmlFor={id}>{name}</label>
          {drafted && (
            <span className="min-w-0 truncate text-12 text-text3 tabular-nums">
              {t('was', { value: shown(field, option) })}
              {draft === null && ` · ${t(option.secret ? 'willBeCleared' : 'willBeDefault')}`}
            </span>
          )}
          <BackToDefault {...{ field, option, draft, onChange }} />
        </div>
        <p id={`${id}-hint`} className="text-13/4.5 text-text2">
          {t(`hints.${field.key}`)}
        </p>
      </div>
      <div className={cx('min-w-0', !wide && field.kind !== 'switch' && 'max-sm:w-full')}>
        <SettingControl
          field={field}
          option={option}
          text={text}
          aria={{
            id,
            'aria-describedby': problem ? `${id}-hint ${below}` : `${id}-hint`,
            'aria-invalid': problem ? true : undefined,
          }}
          onChange={onChange}
        />
        <div className={cx(!wide && field.kind !== 'switch' && 'max-w-75')}>
          <FieldBelow id={below} error={problem} />
        </div>
        {problem && field.kind === 'switch' && <span className="sr-only">{name}</span>}
      </div>
    </div>
  );
}

/** Restores the default or deletes a secret; hidden where there is nothing to restore. */
function BackToDefault({ field, option, draft, onChange }: Omit<Props, 'problem'>) {
  const { t } = useTranslation('setting');
  const shown = useShownValue();
  if (!option.is_set || draft === null || field.fixed || field.key === 'GroupRatio') return null;
  if (!option.secret && option.value === option.default_value) return null;
  const fallback = shown(field, { ...option, value: option.default_value });
  return (
    <IconButton
      label={option.secret ? t('clearSecret') : t('toDefault', { value: fallback })}
      icon={option.secret ? Trash2 : RotateCcw}
      size="sm"
      iconSize={14}
      className="-my-1.5 size-6! opacity-0 group-hover/row:opacity-100 focus-visible:opacity-100 max-sm:opacity-100"
      onClick={() => onChange(null)}
    />
  );
}
