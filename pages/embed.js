/*
 * Opens the pay page of a payment request in a dialog of a shop's page, and reports its states. Origins are compared on both
 * sides. docs/pay-page.md shows the use; embed.d.ts has the types.
 */
(() => {
  'use strict';

  const MESSAGES = 'wallet-rpc-pay';
  const PAGE = /\/pay\/[0-9a-f]{32}$/;

  /** Sets styles by properties, which a policy without inline styles allows. */
  const styled = (node, styles) => Object.assign(node.style, styles) && node;

  function checked(url) {
    const { protocol, hostname, pathname, href, origin } = new URL(url, location.href);
    const isOwn = protocol === 'http:' && ['localhost', '127.0.0.1', '[::1]'].includes(hostname);
    if ((protocol !== 'https:' && !isOwn) || !PAGE.test(pathname))
      throw new TypeError('WalletRpcPay.open takes the pay_url of a payment request');
    return { href, origin };
  }

  function open(url, { onState, onClose, title = 'Monero', closeLabel = 'Close' } = {}) {
    const { href, origin } = checked(url);
    const dialog = styled(document.createElement('dialog'), {
      width: 'min(30rem, 100vw)',
      maxWidth: 'none',
      height: 'min(54rem, 100dvh)',
      maxHeight: 'none',
      padding: '0',
      border: '0',
      borderRadius: '1rem',
      overflow: 'hidden',
      background: '#f3f4f6',
    });
    dialog.setAttribute('aria-label', title);
    const frame = styled(document.createElement('iframe'), {
      display: 'block',
      width: '100%',
      height: '100%',
      border: '0',
    });
    frame.title = title;
    // Without it the browser refuses to copy address and amount.
    frame.allow = 'clipboard-write';
    frame.referrerPolicy = 'no-referrer';
    frame.src = href;
    const button = styled(document.createElement('button'), {
      position: 'absolute',
      top: '0.25rem',
      insetInlineEnd: '0.25rem',
      width: '2.75rem',
      height: '2.75rem',
      border: '0',
      borderRadius: '50%',
      background: '#fff',
      color: '#16181d',
      font: '1.5rem/1 sans-serif',
      cursor: 'pointer',
    });
    button.type = 'button';
    button.textContent = '\u00d7';
    button.setAttribute('aria-label', closeLabel);

    let state;
    const close = () => dialog.open && dialog.close();
    const onMessage = (event) => {
      const { data } = event;
      if (event.source !== frame.contentWindow || event.origin !== origin || data?.source !== MESSAGES)
        return;
      if (data.type === 'close') close();
      if (data.type !== 'state' || data.state === state) return;
      state = String(data.state);
      onState?.(state);
    };
    // The page answers to this origin, if its operator has listed it.
    frame.addEventListener('load', () =>
      frame.contentWindow.postMessage({ source: MESSAGES, type: 'hello' }, origin),
    );
    button.addEventListener('click', close);
    dialog.addEventListener('close', () => {
      removeEventListener('message', onMessage);
      dialog.remove();
      // The browser has given the focus back to the control that had it.
      onClose?.(state);
    });
    addEventListener('message', onMessage);
    dialog.append(button, frame);
    document.body.append(dialog);
    dialog.showModal();
    return { close };
  }

  globalThis.WalletRpcPay = Object.freeze({ open });
})();
