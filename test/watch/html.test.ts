import { describe, expect, it } from '@jest/globals';
import { html, Html } from '../../src/watch/html.js';

describe('a template of HTML', () => {
  it('escapes texts, in content and in attributes', () => {
    const text = `<b a="1">&'`;
    const escaped = '&lt;b a=&quot;1&quot;&gt;&amp;&#39;';
    expect(html`<p title="${text}">${text}</p>`.text).toBe(`<p title="${escaped}">${escaped}</p>`);
  });

  it('inserts templates, lists of them and numbers, and leaves out undefined', () => {
    const items = [1, 2].map((n) => html`<b>${n}</b>`);
    expect(html`<p>${items}${undefined}</p>`.text).toBe('<p><b>1</b><b>2</b></p>');
  });

  it('inserts trusted text unchanged', () => {
    expect(html`${Html.trusted('<svg/>')}`.text).toBe('<svg/>');
  });
});
