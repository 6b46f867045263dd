import { Select as Base } from '@base-ui/react/select';
import { useRef } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { landmarkOf, popover } from '#ui/overlay/overlay.ts';
import { useRepeatedEvent } from './use-repeated-event.ts';
import { ChosenOption, OptionLine, optionLook, triggerLook, type OpenedSelectProps } from './select-option.tsx';

/** A `Select` that was opened once. */
export function PlainSelect<V extends string | number>(props: OpenedSelectProps<V>) {
  const { aria, value, options, onChange, onBlur, placeholder, disabled = false, triggerRef, className } = props;
  const { t } = useTranslation('shared');
  const trigger = useRef<HTMLElement>(null);
  const landmark = useRef<HTMLElement>(null);
  useRepeatedEvent(trigger, props.openedBy);
  return (
    <Base.Root<V>
      value={value}
      modal={false}
      disabled={disabled}
      onValueChange={(next) => next !== null && onChange(next)}
      onOpenChange={(open) => !open && onBlur?.()}
    >
      <Base.Trigger
        {...aria}
        ref={(element) => {
          trigger.current = element;
          landmark.current = landmarkOf(element);
          triggerRef?.(element);
        }}
        className={triggerLook(className)}
      >
        <ChosenOption option={options.find((option) => option.value === value)} placeholder={placeholder} />
      </Base.Trigger>
      <Base.Portal container={landmark} className="contents">
        <Base.Positioner
          align="start"
          alignItemWithTrigger={false}
          sideOffset={6}
          collisionPadding={8}
          className="z-60"
        >
          <Base.Popup aria-label={t('choose')} className={`${popover} max-w-[calc(100vw-16px)]`}>
            {options.map((option) => (
              <Base.Item
                key={option.value}
                value={option.value}
                label={option.label}
                disabled={option.disabled ?? false}
                className={optionLook}
              >
                <OptionLine option={option} chosen={option.value === value} />
              </Base.Item>
            ))}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
