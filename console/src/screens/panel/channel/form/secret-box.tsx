import { keptSecret } from '@relay-hub/contract';
import { useTranslation } from '#i18n/use-translation.ts';
import { cx } from '#ui/basic/cx.ts';

interface Props {
  id?: string | undefined;
  label: string;
  value: string;
  /** A stored value is kept and not shown. */
  stored: boolean;
  onChange: (value: string) => void;
  className?: string | undefined;
}

/** A write-only field: a stored value appears as dots and is replaced by typing. */
export function SecretBox({ id, label, value, stored, onChange, className }: Props) {
  const { t } = useTranslation('channelForm');
  return (
    <input
      id={id}
      type={stored ? 'text' : 'password'}
      aria-label={stored ? `${label} (${t('form.stored')})` : label}
      autoComplete="off"
      value={stored ? keptSecret : value}
      onFocus={(event) => stored && event.target.select()}
      onChange={(event) =>
        onChange(event.target.value === keptSecret ? keptSecret : event.target.value.replaceAll('•', ''))
      }
      className={cx('box font-mono text-13', stored && 'text-text3', className)}
    />
  );
}
