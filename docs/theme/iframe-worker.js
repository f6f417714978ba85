// A page that was opened from a folder (file:) may start no worker; the search then works in a hidden frame.
// Its worker looks for the name IFrameWorker, and for the script's address in the frame.
if (location.protocol === "file:") {
  window.IFrameWorker = window.Worker = class extends EventTarget {
    constructor(address) {
      super();
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      document.body.append(this.frame);
      this.ready = new Promise((resolve) => this.begin(address, resolve));
    }

    begin(address, resolve) {
      const inside = this.frame.contentWindow, script = inside.document.createElement("script");
      inside.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
      script.src = address;
      script.onload = () => resolve(inside);
      inside.document.head.append(script);
    }

    postMessage(data) {
      this.ready.then((inside) => inside.dispatchEvent(new inside.MessageEvent("message", { data })));
    }
  };
}
