import {
  cloneElement,
  useContext,
  type ComponentPropsWithRef,
  type MouseEvent,
  type ReactElement,
  type ReactNode,
} from 'react';
import { SavingDisabled } from '#ui/form/saving-disabled.ts';
import { cx } from './cx.ts';
import { Icon, type IconShape } from './icon.tsx';
import { Spinner } from '#ui/feedback/spinner.tsx';
import { Tooltip } from '#ui/overlay/tooltip.tsx';

const variants = {
  primary: 'border-accent-fill bg-accent-fill text-on-accent hover:border-accent-hover hover:bg-accent-hover',
  default: 'border-line2 bg-(--surface,var(--color-card)) text-text hover:bg-hover [&_.lucide]:text-text2',
  ghost: 'border-transparent text-text2 hover:bg-hover hover:text-text dark:hover:bg-fill',
  danger: 'border-bad-fill bg-bad-fill text-on-accent hover:border-bad-hover hover:bg-bad-hover',
};
const sizes = {
  sm: 'h-7 rounded-[calc(var(--radius-control)-1px)] px-2 text-12 max-sm:h-9 max-sm:text-13 touch',
  md: 'h-8.5 px-3 text-13 max-sm:h-10',
  lg: 'h-10 px-4 text-14 max-sm:h-11',
};
const frame =
  'inline-flex shrink-0 select-none items-center justify-center gap-1.5 rounded-control border font-title whitespace-nowrap transition-colors';
const off = 'cursor-default border-fill bg-fill text-text3';

export type ButtonVariant = keyof typeof variants;
export type ButtonSize = keyof typeof sizes;

export interface ButtonProps extends Omit<ComponentPropsWithRef<'button'>, 'children'> {
  variant?: ButtonVariant | undefined;
  size?: ButtonSize | undefined;
  icon?: IconShape | undefined;
  /** Shows a spinner instead of the icon and ignores clicks, but keeps the focus. */
  busy?: boolean | undefined;
  /**
   * Changes data on the server: disabled while offline. Default: true for primary, danger and submit buttons, false for
   * others and for links. Set it on links that lead to a form.
   */
  saves?: boolean | undefined;
  /** A link element that looks like this button: `render={<Link to="/login" />}` or `<a href=… />`. */
  render?: ReactElement<{ className?: string; children?: ReactNode }> | undefined;
  children: ReactNode;
}

export function Button({
  variant = 'default',
  size = 'md',
  icon,
  busy = false,
  saves,
  render,
  className,
  children,
  ...rest
}: ButtonProps) {
  const away =
    useContext(SavingDisabled) &&
    (saves ?? (!render && (variant === 'primary' || variant === 'danger' || rest.type === 'submit')));
  const look = cx(frame, rest.disabled || away ? off : variants[variant], sizes[size], className);
  const content = (
    <>
      {busy ? <Spinner size={size === 'sm' ? 14 : 16} /> : icon && <Icon of={icon} size={size === 'sm' ? 14 : 16} />}
      {children}
    </>
  );
  if (render && !away) return cloneElement(render, { className: cx(look, render.props.className), children: content });
  return (
    <button
      type="button"
      {...rest}
      {...(busy && { 'aria-busy': true })}
      {...((busy || away) && { 'aria-disabled': true, onClick: ignore })}
      className={look}
    >
      {content}
    </button>
  );
}

const iconSizes = {
  sm: 'size-7 rounded-[calc(var(--radius-control)-1px)] max-sm:size-9 touch',
  md: 'size-8.5 max-sm:size-10',
  lg: 'size-10 max-sm:size-11',
};

export interface IconButtonProps extends Omit<ComponentPropsWithRef<'button'>, 'children'> {
  /** Accessible name and tooltip. */
  label: string;
  icon: IconShape;
  variant?: 'ghost' | 'default' | undefined;
  size?: ButtonSize | undefined;
  iconSize?: 18 | 16 | 14 | undefined;
  /** Looks pressed, for toggles and open menus. */
  active?: boolean | undefined;
  busy?: boolean | undefined;
  /** Changes data on the server: disabled while offline. */
  saves?: boolean | undefined;
  render?: ReactElement<{ className?: string; children?: ReactNode; 'aria-label'?: string }> | undefined;
}

export function IconButton(props: IconButtonProps) {
  const {
    label,
    icon,
    variant = 'ghost',
    size = 'md',
    iconSize,
    active,
    busy,
    saves,
    render,
    className,
    ...rest
  } = props;
  const away = useContext(SavingDisabled) && saves;
  const look = cx(
    frame,
    rest.disabled || away ? 'cursor-default border-transparent text-text3 opacity-60' : variants[variant],
    active && 'bg-fill text-text',
    iconSizes[size],
    className,
  );
  const shown = iconSize ?? (size === 'sm' ? 16 : 18);
  const content = busy ? <Spinner size={shown} /> : <Icon of={icon} size={shown} />;
  if (render)
    return (
      <Tooltip text={label} repeatsName>
        {cloneElement(render, { className: cx(look, render.props.className), children: content, 'aria-label': label })}
      </Tooltip>
    );
  return (
    <Tooltip text={label} repeatsName>
      <button
        type="button"
        {...rest}
        {...(busy && { 'aria-busy': true })}
        {...((busy || away) && { 'aria-disabled': true, onClick: ignore })}
        aria-label={label}
        className={look}
      >
        {content}
      </button>
    </Tooltip>
  );
}

function ignore(event: MouseEvent) {
  event.preventDefault();
}
