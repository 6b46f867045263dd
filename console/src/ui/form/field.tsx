import { TriangleAlert } from 'lucide-react';
import { useId, type ReactNode } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { cx } from '#ui/basic/cx.ts';
import { Icon } from '#ui/basic/icon.tsx';

/** Attributes that connect a control to its label, hint and error. */
export interface FieldAria {
  id: string;
  'aria-describedby': string | undefined;
  'aria-invalid': boolean | undefined;
}

export interface FieldProps {
  label: string;
  /** For screen readers only, if the text above already serves as the label. */
  hideLabel?: boolean | undefined;
  /** Quiet text after the label: a unit. */
  unit?: string | undefined;
  optional?: boolean | undefined;
  hint?: ReactNode;
  /** The error message. */
  error?: string | undefined;
  /** At the right of the label: a link, a count. */
  aside?: ReactNode;
  className?: string | undefined;
}

/** A control with its label above and a hint or error below. */
export function Field({
  label,
  hideLabel = false,
  unit,
  optional,
  hint,
  error,
  aside,
  className,
  children,
}: FieldProps & { children: (aria: FieldAria) => ReactNode }) {
  const { t } = useTranslation('shared');
  const id = useId();
  const below = `${id}-below`;
  const quiet = unit ?? (optional ? t('optional') : undefined);
  return (
    <div className={cx('min-w-0', className)}>
      <div className={hideLabel ? 'sr-only' : 'mb-1.5 flex items-baseline gap-2 text-13'}>
        <label htmlFor={id} className="font-title">
          {label}
          {quiet && <span className="font-normal text-text3"> · {quiet}</span>}
        </label>
        {aside && <span className="ml-auto">{aside}</span>}
      </div>
      {children({
        id,
        'aria-describedby': error || hint ? below : undefined,
        'aria-invalid': error ? true : undefined,
      })}
      <FieldBelow id={below} hint={hint} error={error} />
    </div>
  );
}

/** The line below a control: the error, or else the hint. */
export function FieldBelow({ id, hint, error }: { id: string; hint?: ReactNode; error?: string | undefined }) {
  if (error)
    return (
      <p id={id} role="alert" className="mt-1.5 flex items-start gap-1.5 text-12 text-bad">
        <Icon of={TriangleAlert} size={14} className="mt-px" />
        <span className="min-w-0 break-words">{error}</span>
      </p>
    );
  return hint ? (
    <p id={id} className="mt-1.5 text-12 text-text3">
      {hint}
    </p>
  ) : null;
}
