"""What runs in the page itself, so that a test knows when the app is done and what it said."""

from __future__ import annotations

TWO_FRAMES = "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
# Whether the server still owes an answer: a page shows that the app runs only when the server has said so.
# And what was said in a corner of the screen, as it goes away again.
WATCH = """(() => {
    const Plain = window.WebSocket;
    window.WebSocket = class extends Plain {
        constructor(...settings) {
            super(...settings);
            this.addEventListener("message", () => { window.unanswered = false; });
        }
        send(message) {
            window.unanswered = true;
            super.send(message);
        }
    };
    window.messages = new Set();
    new MutationObserver(() => {
        for (const toast of document.querySelectorAll("[data-testid=stToast]"))
            if (toast.checkVisibility()) window.messages.add(toast.textContent);
    }).observe(document, {childList: true, characterData: true, subtree: true});
})()"""
# Twice in a row: between two messages, and between a message and its effect, all seems calm for a moment.
SETTLED = """() => {
    const app = document.querySelector("[data-testid=stApp]")?.dataset;
    const calm = !window.unanswered
        && app?.testConnectionState === "CONNECTED" && app.testScriptState === "notRunning"
        && !document.querySelector("[data-testid=stSkeleton]")
        && [...document.querySelectorAll("[data-testid=stPlotlyChart]")].every(one => one.querySelector(".main-svg"));
    const still = calm && window.wasCalm;
    window.wasCalm = calm && !still;
    return still;
}"""
